import { expect, test } from 'vitest';
import { FORMS } from '../../../../src/app/console/forms/all-forms.ts';
import { actingConsole } from '../../../support/acting-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';

const addressOf = (path: string): string => path.replaceAll(/:\w+/g, 'none-such');

const opened = async (isOn: boolean) => {
  const acting = await actingConsole(await rawProjectFolder(), { CRAWLHOUSE_CONSOLE_ACTIONS: String(isOn) });
  const send = async (path: string, csrf: string, cookie = acting.cookie): Promise<number> => {
    const init = { method: 'POST', body: new URLSearchParams({ csrf }), cookie };
    return (await acting.ask(addressOf(path), init)).status;
  };
  return { ...acting, send };
};

test('every form is for operators with its token alone, and no refused one is in the audit', async () => {
  const { ask, csrf, send, reader } = await opened(true);
  const { cookie, csrf: own } = reader();
  for (const { path } of FORMS)
    expect([
      path,
      await send(path, '', ''),
      await send(path, own, cookie),
      await send(path, 'x'),
      await send(path, own),
    ]).toEqual([path, 401, 403, 403, 403]);
  expect(await (await ask('/audit.json')).json()).toMatchObject({ entries: [] });
  const off = await opened(false);
  for (const { path } of FORMS) expect([path, await off.send(path, off.csrf)]).toEqual([path, 403]);
  // The refusals come from the role, the token and the setting, not from the empty forms.
  expect(await send('/schedules', csrf)).toBe(400);
});
