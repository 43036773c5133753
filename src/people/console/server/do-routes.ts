import type { FastifyInstance } from 'fastify';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { readAction } from '../actions/action.ts';
import type { Actions } from '../actions/actions.ts';
import { formOf } from './form-of.ts';
import { sessionOf } from './guard.ts';
import { actingRefusal } from './may-act.ts';
import { refuse } from './refuse.ts';

/** A command has its run within this time, unless it waits for the state lock. */
const PATIENCE_MS = 5000;

/** `POST /do/start`: starts an action whose plan was confirmed, and leads to its run. */
export function doRoutes(app: FastifyInstance, actions: Actions, isOn: boolean): void {
  app.post('/do/start', async (request, reply) => {
    const session = sessionOf(request);
    const refusal = actingRefusal(session, isOn);
    if (refusal !== null) return refuse(request, reply, refusal);
    try {
      const fields = formOf(request);
      const action = readAction(fields);
      if (action.action === 'drop' && fields.get('confirm')?.trim() !== action.name)
        throw new CrawlhouseError('usage', `to confirm, type ${action.name}`, {
          hint: 'go back, and type it into the field above the button',
        });
      const id = actions.start(action, session.subject);
      const run = await actions.runSoon(id, PATIENCE_MS);
      return reply.redirect(run === null ? `/do/actions/${id}` : `/runs/${encodeURIComponent(run)}`, 303);
    } catch (thrown) {
      const { kind, code, message, hint } = toCrawlhouseError(thrown);
      const status = code === 'locked' ? 409 : kind === 'usage' ? 400 : 500;
      const title = 'Nothing was started';
      return refuse(request, reply, {
        status,
        code,
        title,
        message,
        hint,
      });
    }
  });
}
