import { onTestFinished } from 'vitest';
import { openConsoleDatabase } from '../../src/app/console/access/console-database.ts';
import { type Role, Sessions } from '../../src/app/console/access/sessions.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

/** The console of a project folder with its owner, and what the forms of the owner and of others need. */
export async function actingConsole(
  folder: string,
  environment: Readonly<Record<string, string>> = { CRAWLHOUSE_CONSOLE_ACTIONS: 'true' },
) {
  const settings = await loadSettings(folder, environment);
  const { ask: askAs, url, signIn } = await openConsole(settings);
  const cookie = await signIn();
  const ask: OpenConsole['ask'] = (path, init = {}) => askAs(path, { cookie, ...init });
  const csrf = /name="csrf" value="([^"]+)"/.exec(await (await ask('/ask')).text())?.[1] ?? '';
  return {
    settings,
    ask,
    url,
    cookie,
    /** The token of the owner's forms. */
    csrf,
    /** The cookie of a person, and the token of their session. */
    person: (role: Role) => {
      const database = openConsoleDatabase(settings.state_dir);
      onTestFinished(() => database.close());
      const key = new Sessions(database, Date.now).begin(`${role}@example.com`, role);
      const [row] = database.prepare('SELECT csrf FROM sessions ORDER BY rowid DESC').all();
      return { cookie: `crawlhouse-session-${new URL(url).port}=${key}`, csrf: String(row?.csrf) };
    },
  };
}
