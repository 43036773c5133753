import { basename } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesText } from '../../../core/text/amounts.ts';
import { checkUpload } from '../actions/check-upload.ts';
import { MOST_FILE_BYTES, type StagedFiles } from '../actions/staged-files.ts';
import { readUpload } from '../actions/upload-action.ts';
import type { ConsoleForm, SentFile, SentForm } from './console-form.ts';

const isDemand = ({ form }: SentForm): boolean => form.get('kind') === 'demand';

/** Stores an uploaded file, and continues at the page that shows how it is read. */
export const UPLOAD_FORM: ConsoleForm = {
  path: '/uploads',
  fileBytes: MOST_FILE_BYTES,
  failed: 'The file was not uploaded',
  audit: (sent) => `upload ${isDemand(sent) ? 'demand' : 'logs'} ${basename(sent.file?.name ?? '')}`,
  async act(sent, { actions: { staged } }, signal) {
    const kind = isDemand(sent) ? 'demand' : 'logs';
    if (!sent.file?.name)
      throw new CrawlhouseError('usage', 'no file was chosen', { hint: 'choose a file, then upload it' });
    const file = await receive(staged, sent.file, signal);
    try {
      await checkUpload(kind, { name: basename(file), path: staged.pathOf(file) }, sent.left);
    } catch (error) {
      await staged.remove(file);
      throw error;
    }
    const site = (sent.form.get('site') ?? '').trim();
    return `/uploads/read?${new URLSearchParams({ action: `${kind}-add`, file, site })}`;
  },
};

/** @throws CrawlhouseError `usage` for a file that is too large, or that arrives only in part */
async function receive(
  staged: StagedFiles,
  { name, content, isCut }: SentFile,
  signal: AbortSignal,
): Promise<string> {
  content.once('limit', () => content.destroy(new Error('the file is too large')));
  try {
    return await staged.receive(name, content, signal);
  } catch (cause) {
    signal.throwIfAborted();
    if (isCut())
      throw new CrawlhouseError('usage', `the file is larger than ${bytesText(MOST_FILE_BYTES)}`, {
        cause,
        hint: 'split it, or add it on the machine of crawlhouse: crawlhouse logs add FILE',
      });
    if (!content.destroyed || cause instanceof CrawlhouseError) throw cause;
    throw new CrawlhouseError('usage', 'the upload was cut off', { cause, hint: 'upload the file again' });
  }
}

/** Adds an uploaded file or removes an added file, then shows the page of the action. */
export const ADD_FORM: ConsoleForm = {
  path: '/uploads/add',
  failed: 'Nothing was started',
  audit: null,
  async act({ form, session }, { actions }) {
    return `/do/actions/${actions.start(readUpload(form), session.subject)}`;
  },
};
