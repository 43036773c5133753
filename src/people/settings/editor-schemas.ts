import { z } from 'zod';
import { Pipeline } from '../../project/model/pipeline.ts';
import { NotesFile } from '../../project/settings/notes.ts';
import { SchedulesFile } from '../../project/settings/schedules.ts';
import { SegmentsFile } from '../../project/settings/segments.ts';
import { SettingsFile } from './warehouse-setting.ts';

/** The JSON Schemas that editors check our YAML by, by file name (docs/settings.md, "In an editor"). */
export function editorSchemas(): Readonly<Record<string, object>> {
  return {
    'crawlhouse.schema.json': schemaOf(SettingsFile, 'Settings of a crawlhouse project: crawlhouse.yaml'),
    'notes.schema.json': schemaOf(NotesFile, 'Notes on days of a crawlhouse project: notes.yaml'),
    'pipeline.schema.json': schemaOf(Pipeline, 'A pipeline of crawlhouse: pipelines/*.yaml'),
    'schedules.schema.json': schemaOf(SchedulesFile, 'Schedules of crawlhouse: schedules.yaml'),
    'segments.schema.json': schemaOf(SegmentsFile, 'Segmentations of a crawlhouse project: segments.yaml'),
  };
}

function schemaOf(schema: z.ZodType, title: string): object {
  const document = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      // The number of cores of the machine, which differs elsewhere.
      if ((zodSchema as unknown) === SettingsFile.shape.threads) delete jsonSchema.default;
      // A file without `access_token: ${TOKEN}` replaced is what an editor sees.
      if (jsonSchema.format === 'uri') {
        delete jsonSchema.format;
        delete jsonSchema.pattern;
      }
    },
  });
  return { title, ...document };
}
