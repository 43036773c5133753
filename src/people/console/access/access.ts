import type { Settings } from '../../../project/settings/settings.ts';
import { Audit } from './audit.ts';
import { openConsoleDatabase } from './console-database.ts';
import { Links } from './links.ts';
import { Oidc } from './oidc.ts';
import { Sessions } from './sessions.ts';
import { TryLimit } from './try-limit.ts';

/** Attempts to sign in, a minute and address. */
const SIGN_INS = 10;
/** Requests, a minute and session. */
const REQUESTS = 600;

/** Who may come in: everything that the console keeps about people. */
export class Access implements Disposable {
  readonly sessions: Sessions;
  readonly links: Links;
  readonly audit: Audit;
  readonly signIns: TryLimit;
  readonly requests: TryLimit;
  /** Null: people sign in by links only. */
  readonly oidc: Oidc | null;
  readonly #close: () => void;

  constructor(
    { state_dir, console_oidc: oidc, console_url: url }: Settings,
    now: () => number = () => Date.now(),
  ) {
    const database = openConsoleDatabase(state_dir);
    this.#close = () => database.close();
    this.sessions = new Sessions(database, now);
    this.links = new Links(database, now);
    this.audit = new Audit(database, now);
    this.signIns = new TryLimit(SIGN_INS, now);
    this.requests = new TryLimit(REQUESTS, now);
    this.oidc = oidc === undefined || url === undefined ? null : new Oidc(oidc, url);
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
