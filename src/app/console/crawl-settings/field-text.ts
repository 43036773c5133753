import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { z } from 'zod';
import { parseYaml } from '../../../core/text/parse-yaml.ts';
import { visible } from '../../../core/text/visible.ts';
import type { Control } from './setting-fields.ts';

/** A value as the text of an input. */
export interface FieldText {
  readonly text: string;
  /** The text is YAML, because the input cannot hold the value otherwise, such as an empty text. */
  readonly isYaml: boolean;
}

const Texts = z.array(z.string());
const Pairs = z.record(z.string(), z.string());

/** Returns the text of a value; `readValue` returns the same value again. Undefined, for the default, is empty. */
export function textOf(control: Control, value: unknown): FieldText {
  if (value === undefined) return { text: '', isYaml: control === 'yaml' };
  const plain = control === 'yaml' ? null : plainText(control, value);
  const isKept =
    plain !== null && isSent(control, plain) && isDeepStrictEqual(readValue(control, plain), value);
  return isKept ? { text: plain, isYaml: false } : { text: yamlText(value), isYaml: true };
}

/** Characters that a page cannot show are escapes, which need quotes. */
function yamlText(value: unknown): string {
  const text = stringify(value, { lineWidth: 0 });
  if (visible(text) === text && text.isWellFormed()) return text;
  const quotes = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const;
  return visible(stringify(value, { lineWidth: 0, ...quotes }));
}

function plainText(control: Control, value: unknown): string | null {
  if (control === 'lines') return Texts.safeParse(value).data?.join('\n') ?? null;
  if (control !== 'pairs')
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
  const { data } = Pairs.safeParse(value);
  return data === undefined
    ? null
    : Object.entries(data)
        .map(([name, text]) => `${name}: ${text}`)
        .join('\n');
}

/** Returns whether a browser shows a text unchanged and sends it back. */
function isSent(control: Control, text: string): boolean {
  const isArea = control === 'lines' || control === 'pairs';
  return text.isWellFormed() && visible(text) === text && (isArea || !text.includes('\n'));
}

/**
 * Returns the value of a sent text; undefined for the default. A text that does not fit stays a text, which the schema
 * refuses.
 *
 * @throws YamlFault
 */
export function readValue(control: Control, sent: string, isYaml = control === 'yaml'): unknown {
  const text = sent.replaceAll(/\r\n?/g, '\n');
  if (isYaml) return text.trim() === '' ? undefined : parseYaml(text, { bigints: 'large' }).value;
  if (text === '') return undefined;
  switch (control) {
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'lines':
      return listOf(text);
    case 'pairs':
      return Object.fromEntries(
        listOf(text)?.map((line) => {
          const [, name = line, value = ''] = /^([^:]*):(.*)$/.exec(line) ?? [];
          return [name.trim(), value.trim()];
        }) ?? [],
      );
    default:
      return text;
  }
}

function listOf(text: string): string[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? undefined : lines;
}
