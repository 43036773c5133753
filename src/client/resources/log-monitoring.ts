import { z } from 'zod';
import { openEnum } from '../endpoint.ts';

export const BOT_KINDS = ['seo', 'sea', 'vertical'] as const;
export const WEEK_DEFINITIONS = ['sunday_start', 'iso'] as const;
export type WeekDefinition = (typeof WEEK_DEFINITIONS)[number];

/** Metadata of log monitoring (api-spec.md §2.16); dates are `YYYY-MM-DD`. */
export const LogMetadata = z
  .looseObject({
    bot_kinds: z.array(openEnum(BOT_KINDS)).nullish(),
    dates: z.array(z.looseObject({ granularity: z.string(), from: z.string(), to: z.string() })).nullish(),
    search_engines: z.array(openEnum(['google'])).nullish(),
    week_definition: openEnum(WEEK_DEFINITIONS).nullish(),
  })
  .meta({ id: 'LogMetadata' });
export type LogMetadata = z.infer<typeof LogMetadata>;
