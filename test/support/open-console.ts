import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { openConsoleDatabase } from '../../src/app/console/access/console-database.ts';
import { type Role, Sessions } from '../../src/app/console/access/sessions.ts';
import { serveConsole } from '../../src/app/console/server/serve-console.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { expectDocumentsFit } from './checked-pages.ts';

export interface OpenConsole {
  readonly url: string;
  /** The one-time link of the person who is signed in. */
  readonly link: string;
  readonly newLink: () => string;
  readonly preparePages: () => Promise<void>;
  /** Signs in once more, as another person where one is named, and gives the cookie. */
  readonly signIn: (person?: string, role?: Role) => Promise<string>;
  /** Sends a form with the token of its session. */
  readonly post: (
    path: string,
    fields: Readonly<Record<string, string>>,
    cookie?: string,
  ) => Promise<Response>;
  /** Asks as the person who is signed in; `cookie: ''` asks as a stranger. */
  readonly ask: (path: string, init?: RequestInit & { readonly cookie?: string }) => Promise<Response>;
}

/** One console for all tests of a file, which takes less time than one for each: its queries have a process of their own. */
export function sharedConsole(settings: () => Settings | Promise<Settings>): () => OpenConsole {
  let open: OpenConsole | undefined;
  let close: (() => PromiseLike<void>) | undefined;
  beforeAll(async () => {
    open = await openConsole(await settings(), (closing) => {
      close = closing;
    });
  });
  afterAll(() => close?.());
  return () => {
    if (open === undefined) throw new Error('the console is opened before the first test');
    return open;
  };
}

/**
 * The console of a project on a free port, with a person signed in by its link. What its pages read is checked by their
 * schemas at its end.
 *
 * @param atEnd takes what closes it; default: at the end of the test
 */
export async function openConsole(
  settings: Settings,
  atEnd: (close: () => PromiseLike<void>) => void = onTestFinished,
): Promise<OpenConsole> {
  const served = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
  atEnd(async () => {
    await served[Symbol.asyncDispose]();
    expectDocumentsFit();
  });
  const newLink = (): string => served.newLink() ?? '';
  const link = newLink();
  const signInBy = async (by: string): Promise<string> => {
    const signedIn = await fetch(by, { redirect: 'manual' });
    return (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  };
  const signInAs = (person: string, role: Role): string => {
    const database = openConsoleDatabase(settings.state_dir);
    const key = new Sessions(database, Date.now).begin(person, role);
    database.close();
    return `crawlhouse-session-${new URL(served.url).port}=${key}`;
  };
  const session = await signInBy(link);
  const ask: OpenConsole['ask'] = (path, { cookie = session, headers, ...init } = {}) =>
    fetch(new URL(path, served.url), {
      redirect: 'manual',
      ...init,
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
    });
  return {
    url: served.url,
    link,
    newLink,
    preparePages: served.preparePages,
    signIn: async (person, role = 'owner') =>
      person === undefined ? signInBy(newLink()) : signInAs(person, role),
    ask,
    post: async (path, fields, cookie = session) => {
      const page = await (await ask('/ask', { cookie })).text();
      const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
      return ask(path, { cookie, method: 'POST', body: new URLSearchParams({ csrf, ...fields }) });
    },
  };
}
