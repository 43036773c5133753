import { CrawlhouseError } from '../../core/errors/errors.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { readCustomFields } from '../../service/site/crawler/custom-fields/custom-field.ts';

/** Keys of a rule of data scraping. */
type Rule = Readonly<Record<string, string | boolean>>;

/** What may stand behind a name, as in `price:number,many=css:.price`, with the key of the rule that it sets. */
const WORDS: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(['string', 'number', 'date', 'boolean'].map((type) => [type, { type }])),
  ...Object.fromEntries(['text', 'html', 'count', 'exists'].map((take) => [take, { take }])),
  many: { many: true },
  comma: { decimal: ',' },
  raw: { from: 'raw' },
  rendered: { from: 'rendered' },
};
/** `NAME:WORDS=LANGUAGE:SELECTOR`; the colon and the words may be left out. */
const RULE = /^([^=:]*)(?::([^=]*))?=(css|xpath|regex):(.+)$/s;

/**
 * The rules that `--extract` spells; undefined without any.
 *
 * @throws CrawlhouseError `usage`
 */
export function extractFlag(texts: readonly string[], isRendering: boolean): readonly Rule[] | undefined {
  if (texts.length === 0) return undefined;
  const rules = texts.map(ruleOf);
  const read = readCustomFields(rules, isRendering);
  if ('fields' in read) return rules;
  const { index, key, problem } = read;
  const text = index === null ? undefined : texts[index];
  throw wrong(
    text,
    key === null ? problem : `${key} ${problem}`,
    key === 'from' && text !== undefined ? `--render --extract ${shellWord(text)}` : undefined,
  );
}

function ruleOf(text: string): Rule {
  const [, name = '', words, language, selector = ''] = RULE.exec(text) ?? [];
  if (language === undefined)
    throw wrong(text, 'no css:, xpath: or regex: behind a name', "--extract 'price=css:.price'");
  let rule: Rule = { name, [language]: selector };
  for (const word of words?.split(',') ?? []) {
    const said = word.startsWith('@') ? { take: 'attribute', attribute: word.slice(1) } : lookUp(WORDS, word);
    if (said === undefined)
      throw wrong(
        text,
        `${word === '' ? 'an empty word' : word} is none of ${Object.keys(WORDS).join(', ')}, @ATTRIBUTE`,
        "--extract 'price:number,many=css:.price'",
      );
    const twice = Object.keys(said).find((key) => Object.hasOwn(rule, key));
    if (twice !== undefined) throw wrong(text, `${twice} is said twice, the second time by ${word}`);
    rule = { ...rule, ...said };
  }
  return rule;
}

function wrong(text: string | undefined, problem: string, flags?: string): CrawlhouseError {
  const hint = flags === undefined ? {} : { hint: `crawlhouse crawl https://www.example.com/ ${flags}` };
  return new CrawlhouseError('usage', `--extract${text === undefined ? '' : ` ${text}`}: ${problem}`, hint);
}
