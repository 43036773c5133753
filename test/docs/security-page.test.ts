import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const page = await readFile(join(ROOT, 'docs', 'security.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| |\s*\|$/g, '').trim()));

test('every test named in docs/security.md exists, and is a test', async () => {
  const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  for (const path of named) {
    expect(existsSync(join(ROOT, path)), path).toBe(true);
    expect(await readFile(join(ROOT, path), 'utf8'), path).toMatch(/^\s*test(\.\w+)*\(/m);
  }
});

test('every row of the security page has a test, and every threat actor has a row', () => {
  for (const [who, reaches, held, shown] of rows) {
    expect([reaches, held].every(Boolean), who).toBe(true);
    expect(shown, who).toMatch(/^`test\//);
  }
  const told = rows.map(([who]) => who).join('\n');
  for (const who of ['the service', "a crawled site's content", 'a store', 'a package from elsewhere'])
    expect(told).toContain(who);
  for (const who of [
    "an analyst's SQL",
    "a web page in the operator's browser",
    'another user of the machine',
  ])
    expect(told).toContain(who);
});

test('SECURITY.md links to the page, and contains no email address', async () => {
  const policy = await readFile(join(ROOT, 'SECURITY.md'), 'utf8');
  expect(policy).toContain('(docs/security.md)');
  expect(policy).not.toMatch(/\S@\S/);
});
