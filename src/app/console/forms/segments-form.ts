import { html } from '../../../core/text/html.ts';
import { changeSegments, writtenSegmentations } from '../../../etl/project/settings/change-segments.ts';
import { projectPath } from '../layout/addresses.ts';
import { csrfField } from '../layout/shell.ts';
import { checkOnPublished, draftOf, hiddenDraft, writtenOf } from '../page-parts/segment-draft.ts';
import type { ConsoleForm, SentForm } from './console-form.ts';

const pageOf = ({ path }: SentForm): string => `${projectPath(String(path.project_id))}/segments`;

/** Saves or removes a segmentation of segments.yaml, and continues at its page. */
export const SEGMENTS_FORM: ConsoleForm = {
  path: '/projects/:project_id/segments',
  failed: 'The segmentation was not written',
  audit: ({ form }) =>
    form.get('change') === 'remove'
      ? `remove segmentation ${form.get('was')}`
      : `save segmentation ${JSON.stringify(draftOf(form))}`,
  async act(sent, { settings, readers }) {
    const draft = draftOf(sent.form);
    const { projectDir } = settings;
    const { at, stamp } = draft;
    if (sent.form.get('change') === 'remove') {
      await changeSegments(projectDir, { at, stamp, next: null }, async () => {});
      return pageOf(sent);
    }
    await changeSegments(projectDir, { at, stamp, next: writtenOf(draft) }, async (segmentations) => {
      await checkOnPublished(readers, segmentations);
    });
    const written = await writtenSegmentations(projectDir);
    return `${pageOf(sent)}?at=${at ?? written.length - 1}&saved=1`;
  },
  again(sent) {
    return html`<form method="post" action="${pageOf(sent)}/count">${csrfField(sent.session.csrf)}${hiddenDraft(draftOf(sent.form))}<button type="submit" name="check" value="1">Back to the rules</button></form>`;
  },
};
