import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { projectModels } from '../../../src/etl/engines/project-models.ts';
import { projectFolder } from '../../support/project.ts';

test('a view with materialize: table is a table if the rows are outside of the file', async () => {
  const folder = await projectFolder();
  const kindOf = async (name: string): Promise<string | undefined> => {
    const models = await projectModels(await loadSettings(folder, {}));
    return models.find((model) => model.name === name)?.kind;
  };
  expect([await kindOf('mart.page_actions'), await kindOf('mart.pages')]).toEqual(['view', 'view']);
  const warehouse = {
    engine: 'trino',
    url: 'https://trino.example',
    catalog: 'lake',
    location: 's3://rows/shop',
    region: 'eu-west-1',
  };
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    `shipped_models: none\nwarehouse: ${JSON.stringify(warehouse)}\n`,
  );
  expect([await kindOf('mart.page_actions'), await kindOf('mart.pages')]).toEqual(['table', 'view']);
});
