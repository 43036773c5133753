import type { FastifyInstance } from 'fastify';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { changeNotes } from '../../../project/settings/notes.ts';
import type { Audit } from '../access/audit.ts';
import { projectPath } from '../layout/addresses.ts';
import { formOf } from './form-of.ts';
import { sessionOf } from './guard.ts';
import { actingRefusal } from './may-act.ts';
import { refuse } from './refuse.ts';

const FIELDS = ['date', 'project', 'kind', 'text'];

interface NoteSettings {
  readonly projectDir: string;
  readonly console_actions: boolean;
}

/** `POST /projects/P/notes`: adds a note to notes.yaml or removes it, and leads back to the project. */
export function noteRoutes(app: FastifyInstance, audit: Audit, settings: NoteSettings): void {
  app.post('/projects/:project_id/notes', async (request, reply) => {
    const session = sessionOf(request);
    const refusal = actingRefusal(session, settings.console_actions);
    if (refusal !== null) return refuse(request, reply, refusal);
    const form = formOf(request);
    const change = form.get('change') === 'remove' ? 'remove' : 'add';
    const note = Object.fromEntries([...form].filter(([name]) => FIELDS.includes(name)));
    const entry = audit.begin(session.subject, `${change} note ${JSON.stringify(note)}`);
    try {
      await changeNotes(settings.projectDir, change, note);
      audit.end(entry, { outcome: '0', message: null, run_id: null });
      const { project_id } = request.params as { project_id: string };
      return reply.redirect(projectPath(project_id), 303);
    } catch (thrown) {
      const { exitCode, kind, code, message, hint } = toCrawlhouseError(thrown);
      audit.end(entry, { outcome: String(exitCode), message, run_id: null });
      return refuse(request, reply, {
        ...{ status: kind === 'usage' ? 400 : 500, code, title: 'The note was not written', message },
        hint,
      });
    }
  });
}
