import type { z } from 'zod';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import { keysAt } from '../../settings/keys-at.ts';
import { badModel } from '../text/bad-model.ts';
import type { SqlFile } from '../text/sql-file.ts';

/**
 * Validates a header with its strict schema.
 *
 * @throws CrawlhouseError `bad_model`, naming file, line, key and the valid keys or values
 */
export function checkHeader<T extends z.ZodType>(schema: T, source: SqlFile): z.output<T> {
  const result = schema.safeParse(source.header);
  if (result.success) return result.data;
  // A misspelled key is also missing under its right name. The misspelling is the better message.
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (!issue) throw badModel({ file: source.file, line: 1 }, 'the header is invalid');
  const place = (path: readonly PropertyKey[]) => ({ file: source.file, line: source.lineOf(path) });

  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const path = [...issue.path, key];
    const keys = keysAt(schema, issue.path);
    const hint = `${didYouMean(key, keys)}allowed keys: ${keys.join(', ')}`;
    throw badModel(place(path), `unknown key ${path.join('.')}`, hint);
  }
  const key = issue.path.join('.');
  const values = issue.code === 'invalid_value' ? `allowed values: ${issue.values.join(', ')}` : undefined;
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  if (issue.path.length > 0 && valueAt(source.header, issue.path) === undefined) {
    const keys = keysAt(schema, issue.path.slice(0, -1));
    const why = message.startsWith('Invalid ') ? 'is missing' : message;
    throw badModel(place(issue.path), `${key} ${why}`, values ?? `keys of this header: ${keys.join(', ')}`);
  }
  throw badModel(place(issue.path), key ? `${key}: ${message}` : message, values);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}
