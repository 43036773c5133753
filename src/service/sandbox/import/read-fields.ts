import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { FieldRecord, FieldsResponse } from '../../../client/resources/fields.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';

const FieldsFile = z.union([FieldsResponse.transform((file) => file.fields), z.array(FieldRecord)]);

/**
 * Returns the fields of a `.fields.json` file in file order.
 *
 * @throws CrawlhouseError `bad_project` with file and position
 */
export async function readFields(file: string): Promise<readonly FieldRecord[]> {
  if (!existsSync(file)) {
    throw new CrawlhouseError('bad_project', `${file} does not exist`, {
      hint: 'write {"fields": [...]}, like the response of GET …/fields',
    });
  }
  const fields = parse(file, await readFile(file, 'utf8'));
  const names = new Set<string>();
  for (const { name } of fields) {
    if (names.has(name))
      throw new CrawlhouseError('bad_project', `${file}: the field ${JSON.stringify(name)} appears twice`);
    names.add(name);
  }
  return fields;
}

function parse(file: string, text: string): readonly FieldRecord[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CrawlhouseError('bad_project', `${file}: ${(cause as Error).message}`, { cause });
  }
  const schema = Array.isArray(json) ? z.array(FieldRecord) : FieldsResponse;
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const at = issue?.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    throw new CrawlhouseError(
      'bad_project',
      `${file}, at ${at?.replace(/^\./, '') || 'its root'}: ${issue?.message}`,
      { hint: 'set name, type and arity for each field, as in api-spec.md §2.14' },
    );
  }
  return FieldsFile.parse(json);
}
