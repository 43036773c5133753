import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileYaml, parseYaml } from '../../../src/core/text/parse-yaml.ts';

const built = JSON.parse(readFileSync(join(import.meta.dirname, '../../../dist/yaml.json'), 'utf8'));

test('the build contains the values of each shipped pipeline, as in its YAML', () => {
  for (const name of ['crawl_pages', 'crawl_links', 'log_events', 'ranking_performance']) {
    const text = readFileSync(join(import.meta.dirname, `../../../pipelines/${name}.yaml`), 'utf8');
    const { value } = parseYaml(text);
    const [[hash, json] = []] = Object.entries(JSON.parse(compileYaml(new Map([[text, value]]))));
    expect([name, built[String(hash)]]).toEqual([name, json]);
    expect(JSON.parse(String(json))).toEqual(value);
  }
  expect(Object.keys(built).length).toBeGreaterThan(200);
});

test('a value that JSON cannot represent is read on demand', () => {
  const texts = ['a: .inf', 'a: 12345678901234567890', 'a: [1, {b: .nan}]', 'a: [null, true, 1.5, x]'];
  const compiled = compileYaml(new Map(texts.map((text) => [text, parseYaml(text).value])));
  expect(Object.values(JSON.parse(compiled))).toEqual(['{"a":[null,true,1.5,"x"]}']);
});
