import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkRequest } from '../../../src/service/resources/check-request.ts';
import type { Refusal } from '../../../src/service/resources/refusal.ts';

const schema = z.strictObject({
  number: z.number().optional(),
  whole: z.int().min(1).max(9).optional(),
  above: z.number().gt(2).lt(5).optional(),
  text: z.string().min(2).max(3).optional(),
  one: z.string().min(1).optional(),
  flag: z.boolean().optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  inner: z.strictObject({ key: z.string() }).optional(),
  kind: z.enum(['a', 'b', 'c']).optional(),
  order: z.enum(['asc', 'desc']).optional(),
  mail: z.email().optional(),
  either: z.union([z.string(), z.array(z.string())]).optional(),
  shaped: z.union([z.number(), z.strictObject({ a: z.string() })]).optional(),
  address: z.union([z.ipv4(), z.ipv6()]).optional(),
  own: z
    .string()
    .refine((value) => value === 'x', 'must be x')
    .optional(),
});

function problems(input: unknown, of: z.ZodType = schema) {
  try {
    checkRequest(of, input);
    return [];
  } catch (error) {
    return (error as Refusal).fields?.map(({ name, type, message }) => [name, type, message]);
  }
}

test('a valid request is parsed', () => {
  expect(checkRequest(schema, { number: 1, kind: 'a' })).toEqual({ number: 1, kind: 'a' });
});

test.each([
  [{ number: 'x' }, ['number', 'invalid_type', 'must be a number, not a string']],
  [{ number: true }, ['number', 'invalid_type', 'must be a number, not true']],
  [{ number: null }, ['number', 'invalid_type', 'must be a number, not null']],
  [{ number: [] }, ['number', 'invalid_type', 'must be a number, not a list']],
  [{ number: {} }, ['number', 'invalid_type', 'must be a number, not an object']],
  [{ number: 10n ** 20n }, ['number', 'invalid_type', /must be at most 9007199254740991/]],
  [{ whole: 1.5 }, ['whole', 'invalid_type', 'must be a whole number, not 1.5']],
  [{ whole: 0 }, ['whole', 'too_small', 'must be at least 1']],
  [{ whole: 10 }, ['whole', 'too_big', 'must be at most 9']],
  [{ above: 2 }, ['above', 'too_small', 'must be more than 2']],
  [{ above: 5 }, ['above', 'too_big', 'must be less than 5']],
  [{ text: 'x' }, ['text', 'too_small', 'must be at least 2 characters long']],
  [{ text: 'xxxx' }, ['text', 'too_big', 'must be at most 3 characters long']],
  [{ one: '' }, ['one', 'too_small', 'must be at least 1 character long']],
  [{ flag: 1 }, ['flag', 'invalid_type', 'must be true or false, not 1']],
  [{ list: 'x' }, ['list', 'invalid_type', 'must be a list, not a string']],
  [{ list: [] }, ['list', 'too_small', 'must be a list of at least 1']],
  [{ list: ['a', 1] }, ['list[1]', 'invalid_type', 'must be a string, not 1']],
  [{ inner: {} }, ['inner.key', 'required', 'is required']],
  [
    { inner: { key: 'a', no: 1 } },
    ['inner.no', 'unknown', 'is not a parameter of this request: those here are key'],
  ],
  [{ kind: 'd' }, ['kind', 'invalid_value', 'must be one of "a", "b", "c", not "d"']],
  [{ order: 'up' }, ['order', 'invalid_value', 'must be "asc" or "desc", not "up"']],
  [{ mail: 'x' }, ['mail', 'invalid_format', 'must be an e-mail address']],
  [{ either: 1 }, ['either', 'invalid_type', 'must be a string or a list, not 1']],
  [{ shaped: { a: 1 } }, ['shaped.a', 'invalid_type', 'must be a string, not 1']],
  [{ shaped: {} }, ['shaped.a', 'required', 'is required']],
  [{ shaped: 'x' }, ['shaped', 'invalid_type', 'must be a number or an object, not a string']],
  [{ address: 'x' }, ['address', 'invalid_format', 'must be an IPv4 address or an IPv6 address']],
  [{ own: 'y' }, ['own', 'invalid_value', 'must be x']],
  [{ other: 1 }, ['other', 'unknown', 'is not a parameter of this request']],
  ['x', ['body', 'invalid_type', 'must be an object, not a string']],
])('%s is refused', (input, [name, type, message]) => {
  expect(problems(input)).toEqual([
    [name, type, typeof message === 'string' ? message : expect.stringMatching(message as RegExp)],
  ]);
});

test('the key around a resource is not part of a name', () => {
  const project = z.strictObject({ project: z.strictObject({ name: z.string() }) });
  expect(problems({ project: {} }, project)?.[0]?.[0]).toBe('name');
  expect(problems({}, project)?.[0]?.[0]).toBe('project');
  const optional = z.strictObject({ project: z.strictObject({ name: z.string() }).optional() });
  expect(problems({ project: {} }, optional)?.[0]?.[0]).toBe('project.name');
  const two = z.strictObject({ project: z.strictObject({ name: z.string() }), more: z.string() });
  expect(problems({ project: {}, more: 'x' }, two)?.[0]?.[0]).toBe('project.name');
});

test('a request without parameters says so', () => {
  expect(problems({ x: 1 }, z.strictObject({}))?.[0]?.[2]).toBe(
    'is not a parameter of this request: it has none here',
  );
});
