import type { z } from 'zod';
import type { ErrorCode } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readText } from '../../../core/files/read-text.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { type ParsedYaml, parseYaml, YamlFault } from '../../../core/text/parse-yaml.ts';
import { keysAt } from './keys-at.ts';

/** The origin of a parsed YAML value, so that an error can name the line of any key. */
export interface YamlSource {
  readonly file: string;
  readonly value: unknown;
  /** Returns the line (from 1) of the key at `path`, or of its nearest parent in the file. */
  lineOf(path: readonly PropertyKey[]): number;
}

/**
 * Reads a YAML file that contains a mapping. Keys must be unique, and anchors are resolved.
 *
 * @throws CrawlhouseError `code` with file and line
 */
export async function readYaml(path: string, shownAs: string, code: ErrorCode): Promise<YamlSource> {
  return yamlSource(await readText(path), shownAs, code);
}

/** Parses YAML like `readYaml`, but from a text instead of a file. */
export function yamlSource(text: string, shownAs: string, code: ErrorCode): YamlSource {
  const read = parsed(text, shownAs, code);
  const { value, lineOf } = read;
  if (typeof (value ?? {}) !== 'object' || Array.isArray(value))
    throw new CrawlhouseError(
      code,
      `${shownAs}:${read.firstLine}: expected keys with values, such as key: value`,
    );
  return { file: shownAs, value: value ?? {}, lineOf };
}

function parsed(text: string, shownAs: string, code: ErrorCode): ParsedYaml {
  try {
    return parseYaml(text, { bigints: 'large' });
  } catch (cause) {
    if (!(cause instanceof YamlFault)) throw cause;
    throw new CrawlhouseError(code, `${shownAs}:${cause.line}: ${cause.message}`, {
      cause,
      hint: cause.hint,
    });
  }
}

/**
 * Validates a YAML value with a strict schema.
 *
 * @throws CrawlhouseError `code`, naming file, line, key and the valid keys or values
 */
export function checkYaml<T extends z.ZodType>(schema: T, source: YamlSource, code: ErrorCode): z.output<T> {
  const result = schema.safeParse(source.value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => describeIssue(issue, schema, source));
  const [first, ...others] = problems;
  throw new CrawlhouseError(code, [first?.message, ...others.map((other) => other.message)].join('\n'), {
    hint: first?.hint,
  });
}

function describeIssue(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  source: YamlSource,
): { message: string; hint?: string | undefined } {
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const allowed = keysAt(schema, issue.path);
    return {
      message: `${source.file}:${source.lineOf([...issue.path, key])}: unknown key ${[...issue.path, key].join('.')}`,
      ...(allowed.length > 0
        ? { hint: `${didYouMean(key, allowed)}allowed keys: ${allowed.join(', ')}` }
        : {}),
    };
  }
  // The fault within the one shape of the value, unless the schema has its own message.
  if (issue.code === 'invalid_union' && issue.message === 'Invalid input') {
    const inner = issue.errors
      .flat()
      .find((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys');
    if (inner) return describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, schema, source);
  }
  const path = issue.path.join('.');
  const allowed = issue.code === 'invalid_value' ? `; allowed values: ${issue.values.join(', ')}` : '';
  return {
    message: `${source.file}:${source.lineOf(issue.path)}: ${path ? `${path}: ` : ''}${issue.message}${allowed}`,
  };
}
