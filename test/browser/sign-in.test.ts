import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleWithOidc } from '../support/oidc-console.ts';
import { environmentOf, rawProjectFolder, sandboxFor, writeDotEnv } from '../support/project.ts';
import { CHROMIUM, MISSING, openTab, startChromium } from './chromium.ts';

const SMALL = { generate: ['projects=1,crawls=1,pages=30,links=0,seed=5'] };

if (CHROMIUM === undefined) console.warn(MISSING);

/** A provider on another site than the console: only then do the rules for cookies of foreign sites apply. */
const ELSEWHERE = { host: 'localhost' };

let browser: Browser;

/** A tab of a stranger. The provider's pages ask for fonts of another host, which get nothing. */
async function strangersTab(url: string) {
  const opened = await openTab(browser, { url, cookie: '' });
  await opened.tab.route('**/*', (route) =>
    ['127.0.0.1', 'localhost'].includes(new URL(route.request().url()).hostname)
      ? route.continue()
      : route.fulfill({ contentType: 'text/css', body: '' }),
  );
  return opened;
}

/** Goes from the console's page to the provider, and says there who it is. */
async function signIn(tab: Page, name: string): Promise<void> {
  await tab.getByRole('link', { name: /^Sign in with localhost:/ }).click();
  await tab.getByPlaceholder('Enter any login').fill(name);
  await tab.getByPlaceholder('and password').fill('x');
  await tab.getByRole('button', { name: 'Sign-in' }).click();
  await tab.getByRole('button', { name: 'Continue' }).click();
}

describe.skipIf(CHROMIUM === undefined)('signing in at a provider, in Chromium', () => {
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  test('an operator returns to the requested page, starts a run, and signs out', async () => {
    const folder = await rawProjectFolder();
    await writeDotEnv(folder, environmentOf(await sandboxFor(SMALL)));
    const { url } = await consoleWithOidc({ ...ELSEWHERE, folder });
    await using opened = await strangersTab(url);
    const { tab, complaints } = opened;
    await tab.goto(`${url}/runs?page=1`);
    await signIn(tab, 'ops');
    await tab.waitForURL(`${url}/runs?page=1`);
    expect(await tab.locator('form.who span').textContent()).toBe('ops@example.com');
    await tab.getByRole('link', { name: 'Do', exact: true }).click();
    await tab.getByRole('button', { name: 'Show the plan' }).first().click();
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.waitForURL(/\/runs\/[^?]+$|\/do\/actions\/1$/);
    await tab.goto(`${url}/audit`);
    expect(await tab.locator('main table').textContent()).toContain('ops@example.com');
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.waitForURL(`${url}/sign-in`);
    await tab.goto(`${url}/runs`);
    expect(tab.url()).toBe(`${url}/sign-in?to=%2Fruns`);
    expect((await tab.context().cookies(url)).filter(({ name }) => name.startsWith('crawlhouse-'))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
  });

  test('a person without a role sees what to do, and stays outside', async () => {
    const { url } = await consoleWithOidc(ELSEWHERE);
    await using opened = await strangersTab(url);
    const { tab } = opened;
    await tab.goto(url);
    await signIn(tab, 'other');
    await tab.getByRole('heading', { name: 'No access' }).waitFor();
    expect(await tab.locator('main').textContent()).toContain('console_oidc.viewers');
    await tab.goto(url);
    expect(tab.url()).toBe(`${url}/sign-in`);
  });

  test('an unavailable provider is reported, and works once it is back', async () => {
    const { url, stopProvider, startProvider } = await consoleWithOidc(ELSEWHERE);
    stopProvider();
    await using opened = await strangersTab(url);
    const { tab } = opened;
    await tab.goto(url);
    await tab.getByRole('link', { name: /^Sign in with/ }).click();
    await tab.getByRole('heading', { name: 'Sign-in is not available now' }).waitFor();
    expect(await tab.locator('main').textContent()).toContain('console_oidc.issuer');
    await startProvider();
    await tab.goto(url);
    await signIn(tab, 'reader');
    await tab.waitForURL(`${url}/`);
    expect(await tab.locator('form.who span').textContent()).toBe('reader@example.com');
    expect(await tab.getByRole('link', { name: 'Do', exact: true }).count()).toBe(0);
  });
});
