import { Audit } from './audit-log.ts';
import { openConsoleDatabase } from './console-database.ts';
import { Links } from './links.ts';
import { Oidc } from './oidc.ts';
import type { SignInSettings } from './reach.ts';
import { Sessions } from './sessions.ts';
import { SharedLinks } from './shared-links.ts';
import { UploadsLog } from './uploads-log.ts';

const MINUTE_MS = 60_000;

/** Maximum number of remembered keys; the oldest is forgotten first. */
const MOST_KEYS = 10_000;

interface Minute {
  count: number;
  readonly endsAt: number;
}

/** Failed attempts to sign in, per minute and class of addresses. */
const FAILED_SIGN_INS = 10;
/** Requests per minute and person. */
const REQUESTS = 600;
/** Answers per minute and shared link: a spreadsheet asks once an hour. */
const SHARED = 10;

/** Controls access: everything that the console stores about people. */
export class Access implements Disposable {
  readonly sessions: Sessions;
  readonly links: Links;
  readonly audit: Audit;
  readonly uploads: UploadsLog;
  readonly failedSignIns: TryLimit;
  readonly requests: TryLimit;
  readonly shared: SharedLinks;
  readonly sharedAnswers: TryLimit;
  /** Null: people sign in only by links. */
  readonly oidc: Oidc | null;
  readonly #close: () => void;

  constructor(
    { state_dir, console_oidc: oidc, console_url: url }: SignInSettings & { readonly state_dir: string },
    now: () => number = () => Date.now(),
  ) {
    const database = openConsoleDatabase(state_dir);
    this.#close = () => database.close();
    this.sessions = new Sessions(database, now);
    this.links = new Links(database, now);
    this.audit = new Audit(database, now);
    this.uploads = new UploadsLog(database, now);
    this.failedSignIns = new TryLimit(FAILED_SIGN_INS, now);
    this.requests = new TryLimit(REQUESTS, now);
    this.shared = new SharedLinks(database, now);
    this.sharedAnswers = new TryLimit(SHARED, now);
    this.oidc = oidc === undefined || url === undefined ? null : new Oidc(oidc, url);
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

/** Limits attempts per minute for each key, such as an address. */
export class TryLimit {
  readonly #most: number;
  readonly #now: () => number;
  readonly #minutes = new Map<string, Minute>();

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Returns the seconds to wait if no attempt is left. */
  wait(key: string): number | null {
    const [now, minute] = [this.#now(), this.#minutes.get(key)];
    if (minute === undefined || minute.endsAt <= now || minute.count < this.#most) return null;
    return Math.ceil((minute.endsAt - now) / 1000);
  }

  /** Counts an attempt. @returns the seconds to wait if it exceeds the limit */
  take(key: string): number | null {
    const now = this.#now();
    const before = this.#minutes.get(key);
    if (before !== undefined && before.endsAt > now) {
      before.count += 1;
      return before.count <= this.#most ? null : Math.ceil((before.endsAt - now) / 1000);
    }
    this.#minutes.delete(key);
    this.#minutes.set(key, { count: 1, endsAt: now + MINUTE_MS });
    const [oldest] = this.#minutes.keys();
    if (this.#minutes.size > MOST_KEYS && oldest !== undefined) this.#minutes.delete(oldest);
    return null;
  }
}
