import { z } from 'zod';
import { Pipeline } from '../../etl/project/model/pipeline.ts';
import { CrawlFile } from '../../etl/project/settings/crawls/crawl-file.ts';
import { NotesFile } from '../../etl/project/settings/notes.ts';
import { SchedulesFile } from '../../etl/project/settings/schedules.ts';
import { SegmentsFile } from '../../etl/project/settings/segments.ts';
import { TicketsFile } from '../../etl/project/settings/tickets/tickets.ts';
import { SettingsFile } from './warehouse-setting.ts';

/**
 * Returns the JSON Schemas with which editors check our YAML files, by file name (docs/settings.md, "In an editor").
 */
export function editorSchemas(): Readonly<Record<string, object>> {
  return {
    'crawl.schema.json': schemaOf(CrawlFile, 'Settings of the crawls of a website: crawls/*.yaml'),
    'crawlhouse.schema.json': schemaOf(SettingsFile, 'Settings of a crawlhouse project: crawlhouse.yaml'),
    'notes.schema.json': schemaOf(NotesFile, 'Notes on days of a crawlhouse project: notes.yaml'),
    'pipeline.schema.json': schemaOf(Pipeline, 'A pipeline of crawlhouse: pipelines/*.yaml'),
    'schedules.schema.json': schemaOf(SchedulesFile, 'Schedules of crawlhouse: schedules.yaml'),
    'segments.schema.json': schemaOf(SegmentsFile, 'Segmentations of a crawlhouse project: segments.yaml'),
    'tickets.schema.json': schemaOf(TicketsFile, 'Tickets of a crawlhouse project: tickets.yaml'),
  };
}

function schemaOf(schema: z.ZodType, title: string): object {
  const document = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      // The number of cores differs between machines.
      if ((zodSchema as unknown) === SettingsFile.shape.threads) delete jsonSchema.default;
      delete jsonSchema.wire;
      // Editors see the file before `${TOKEN}` is replaced.
      if (jsonSchema.format === 'uri') {
        delete jsonSchema.format;
        delete jsonSchema.pattern;
      }
    },
  });
  return { title, ...document };
}
