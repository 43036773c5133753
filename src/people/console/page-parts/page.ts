import type { z } from 'zod';
import type { Html } from '../../../core/text/html.ts';
import type { SignedIn } from '../access/sessions.ts';
import type { Actions } from '../actions/actions.ts';
import type { Readers } from '../desk/desk.ts';

export interface PageRequest {
  /** The parts of the path that have a name. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly session: SignedIn;
  /** Whether a page of this console led here, or the person; a page from elsewhere starts nothing. */
  readonly isOwn: boolean;
  /** Whether this console starts and drops things at all (`console_actions`). */
  readonly canAct: boolean;
  readonly actions: Actions;
}

/** A page of the console: what it reads is the JSON behind it, and what it draws. */
export interface Page<T> {
  /** As fastify has it, such as `/projects/:project_id`; its JSON is at the same path with `.json`. */
  readonly path: string;
  /** One line, for the OpenAPI document. */
  readonly summary: string;
  /** The parameters of its query, each with one line. */
  readonly query?: Readonly<Record<string, string>>;
  readonly schema: z.ZodType<T>;
  /** @throws NotFound for something that is not there; CrawlhouseError */
  readonly read: (request: PageRequest, desk: Readers, signal: AbortSignal) => Promise<T>;
  readonly draw: (document: T, request: PageRequest) => { readonly title: string; readonly body: Html };
}

/** Keeps the type of the document between `read` and `draw`. */
export function page<T>(definition: Page<T>): Page<unknown> {
  return definition as Page<unknown>;
}

export class NotFound extends Error {}
