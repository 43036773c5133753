import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { SignedIn } from './sessions.ts';

/**
 * Who may open a page or send a form: all who are signed in, operators, operators of a console whose actions are on, or
 * the owner of the machine, if only they can sign in.
 */
export type Audience = 'all' | 'operators' | 'acting' | 'owner';

interface Visitor {
  readonly session: SignedIn;
  /** Whether the person may start actions: an operator of a console whose actions are on (`console_actions`). */
  readonly canAct: boolean;
  /** Whether only the owner of this machine can sign in. */
  readonly isOwners: boolean;
}

/** @throws CrawlhouseError `forbidden` if the person does not belong to the audience */
export function requireAudience(audience: Audience, { session, canAct, isOwners }: Visitor): void {
  if (audience === 'all') return;
  if (session.role !== 'operator')
    throw refused('only operators can do this', 'console_oidc.operators lists the operators');
  if (audience === 'operators') return;
  if (!canAct)
    throw refused('this console is read-only', 'set console_actions: true, then restart the console');
  if (audience === 'owner' && !isOwners)
    throw refused(
      'only the owner of this machine can do this',
      'change crawlhouse.yaml or .env in the project folder',
    );
}

function refused(message: string, hint: string): CrawlhouseError {
  return new CrawlhouseError('forbidden', message, { hint });
}
