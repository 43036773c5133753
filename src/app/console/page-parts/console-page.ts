import type { z } from 'zod';
import type { Html } from '../../../core/text/html.ts';
import type { ConsoleRoute } from '../access/audiences.ts';
import type { OfferedAccounts } from '../access/offered-accounts.ts';
import type { SignedIn } from '../access/sessions.ts';
import type { SharedLinks } from '../access/shared-links.ts';
import type { Actions } from '../actions/actions.ts';
import type { Readers } from '../readers/readers.ts';

export interface PageRequest {
  /** The named parts of the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly session: SignedIn;
  /** Whether the request comes from this console or directly from the user; pages of other sites start nothing. */
  readonly isOwn: boolean;
  /** Whether the person may use a route, such as the one of a form. */
  readonly may: (route: ConsoleRoute) => boolean;
  /** Whether the person may start actions: an operator of a console whose actions are on (`console_actions`). */
  readonly canAct: boolean;
  /** Whether only the owner of this machine can sign in. */
  readonly isOwners: boolean;
  readonly actions: Actions;
  readonly shared: SharedLinks;
  readonly accounts: OfferedAccounts;
}

/** A page of the console: the data it reads, which is also its JSON document, and how to draw it. */
export interface Page<T> {
  /** In the syntax of fastify, such as `/projects/:project_id`; its JSON is at the same path with `.json`. */
  readonly path: string;
  /** A summary for the OpenAPI document. */
  readonly summary: string;
  /** The parameters of its query, with a summary each. */
  readonly query?: Readonly<Record<string, string>>;
  /**
   * The end of a path below the page that accepts the query as a form by POST, for a query too long for an address. The
   * form has the session's token, and changes nothing.
   */
  readonly posted?: string;
  readonly schema: z.ZodType<T>;
  /** @throws NotFound for an unknown name; CrawlhouseError */
  readonly read: (request: PageRequest, readers: Readers, signal: AbortSignal) => Promise<T>;
  readonly draw: (document: T, request: PageRequest) => Drawn;
}

interface Drawn {
  readonly title: string;
  readonly body: Html;
  /** Where a browser goes instead; a page that is slow to read shows its body. */
  readonly location?: string | null;
}

/** Connects the types of the document in `read` and `draw`. */
export function page<T>(definition: Page<T>): Page<unknown> {
  return definition as Page<unknown>;
}

export class NotFound extends Error {}
