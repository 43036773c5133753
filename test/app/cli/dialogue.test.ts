import { expect, test } from 'vitest';
import { Questions } from '../../../src/app/cli/dialogue.ts';
import { redact } from '../../../src/core/secrets/redact.ts';
import { typing } from './typing.ts';

const { signal } = new AbortController();

test('an answer is trimmed, and a wrong one is asked for again with the problem', async () => {
  const { person, answer, seen } = typing();
  using questions = new Questions(person, signal);
  const asked = questions.ask('Site', (text) => (text === 'x' ? 'is not a site' : undefined));
  await answer('Site: ', 'x');
  await answer('Site: ', '  shop.example ');
  expect(await asked).toBe('shop.example');
  expect(seen()).toContain('  is not a site\n');
  expect(seen()).not.toContain('Once more');
});

test('a secret is not shown, is masked in every text, and can be typed once more', async () => {
  const { person, answer, seen } = typing();
  using questions = new Questions(person, signal);
  const asked = questions.askSecret('Key', async (text) => (text.length < 10 ? 'is too short' : undefined));
  await answer('Key (not shown): ', 'short-1');
  await answer('Once more: ', 'long-enough-secret-2');
  expect(await asked).toBe('long-enough-secret-2');
  expect(seen()).toContain('is too short');
  expect(seen()).not.toMatch(/short-1|long-enough/);
  expect(redact('it is long-enough-secret-2')).not.toContain('long-enough');
  const next = questions.ask('Name');
  await answer('Name: ', 'visible');
  expect([await next, seen()]).toEqual(['visible', expect.stringContaining('visible')]);
});

test('Ctrl-C, the end of the input and the end of the program end a question', async () => {
  for (const end of ['\u0003', '\u0004']) {
    const { person, input } = typing();
    using questions = new Questions(person, signal);
    const asked = questions.ask('Site');
    input.write(end);
    await expect(asked).rejects.toMatchObject({ code: 'interrupted' });
    await expect(questions.ask('Site')).rejects.toMatchObject({ code: 'interrupted' });
    expect(questions.signal.aborted).toBe(true);
  }
  const program = new AbortController();
  const { person, seen } = typing();
  using questions = new Questions(person, program.signal);
  const asked = questions.ask('Site');
  program.abort(new Error('the program ends'));
  await expect(asked).rejects.toThrow('the program ends');
  expect(seen()).toMatch(/\n$/);
});
