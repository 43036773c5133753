import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readAction } from '../actions/action.ts';
import type { ConsoleForm } from './console-form.ts';

/** The run of a command starts within this time, unless the command waits for the state lock. */
const PATIENCE_MS = 5000;

/** Starts an action after its plan was confirmed, and continues at its run. */
export const START_FORM: ConsoleForm = {
  path: '/do/start',
  failed: 'Nothing was started',
  audit: null,
  async act({ form, session }, { actions }) {
    const action = readAction(form);
    if (action.action === 'drop' && form.get('confirm')?.trim() !== action.name)
      throw new CrawlhouseError('usage', `type ${action.name} to confirm`, {
        hint: 'go back and type the name into the field above the button',
      });
    const id = actions.start(action, session.subject);
    const run = await actions.runSoon(id, PATIENCE_MS);
    return run === null ? `/do/actions/${id}` : `/runs/${encodeURIComponent(run)}`;
  },
};
