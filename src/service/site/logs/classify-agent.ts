import { isbot } from 'isbot';
import type { Bot, BotList } from './bots/bot-list.ts';

/** What a user agent says of who asked, in the fields of log events. */
export interface AgentClass {
  readonly device: 'desktop' | 'mobile';
  readonly is_bot: boolean;
  readonly bot: string | null;
  readonly bot_kind: 'seo' | 'sea' | 'vertical' | null;
  readonly search_engine: 'google' | null;
  /** The bot of the list, which can be verified. */
  readonly known: Bot | null;
}

const MOBILE = /mobile|android|iphone|ipod|opera mini|windows phone/i;
/** The name of a phone's model, as in `(Linux; Android 9; CUBOT X19 Build/PPR1)`: makers call phones robots and rubies. */
const MODEL =
  /(\((?:Linux|X11)?[^()]*Android[^;()]*);(?![^()]*(?:compatible|https?:|\+|google|bot\/|spider))[^()]*(?=\))/i;
/** Phones of before, whose agents look like none of a browser, and browsers in apps. */
const PHONE = /Profile\/|MIDP|CLDC|webOS\/|Bada|BREW\/|UCBrowser|SogouMSE/;
const SAYS_BOT = /compatible|https?:|bot\b|crawl|spider/i;
/** Words by which a program is named. */
const NAME =
  /bot\b|bot[/;_-]|crawl|spider|slurp|scrap|fetch|monitor|preview|validator|checker|curl|wget|python|java\/|okhttp|go-http|libwww|httpclient|http-client|axios|node-fetch|undici|ruby|perl|php\/|headless|phantomjs|lighthouse|grab|inspect|guzzle|proxy|scan/i;
const NO_AGENT = '(no user agent)';

/** Sorts a user agent. Browsers always send one, so a request without any is a bot's. */
export function classifyAgent(userAgent: string, list: BotList): AgentClass {
  const known = list.recognise(userAgent) ?? null;
  const device = MOBILE.test(userAgent) ? 'mobile' : 'desktop';
  const none = { bot_kind: null, search_engine: null } as const;
  if (known !== null) {
    const { crawler, engine } = known;
    const isGoogle = engine === 'google';
    const search_engine = isGoogle ? ('google' as const) : null;
    return {
      device,
      is_bot: true,
      bot: crawler,
      bot_kind: isGoogle ? kindOf(known) : null,
      search_engine,
      known,
    };
  }
  if (userAgent === '') return { device, is_bot: true, bot: NO_AGENT, ...none, known };
  if (!isProgram(userAgent)) return { device, is_bot: false, bot: null, ...none, known };
  return { device, is_bot: true, bot: programName(userAgent), ...none, known };
}

/** Whether an agent is none of a person's browser, by a list that is kept (docs/decisions/libraries.md). */
export function isProgram(userAgent: string): boolean {
  if (!isbot(userAgent.replace(MODEL, '$1'))) return false;
  return !PHONE.test(userAgent) || SAYS_BOT.test(userAgent);
}

/** The kinds of the metadata (api-spec.md §2.16), as far as the list tells them. */
function kindOf({ bot_class, purpose }: Bot): AgentClass['bot_kind'] {
  if (bot_class === 'ads') return 'sea';
  if (bot_class !== 'search') return null;
  return purpose === 'pages' ? 'seo' : 'vertical';
}

/** The product with such a word, such as `ExampleBot` of `Mozilla/5.0 (compatible; ExampleBot/1.0)`. */
function programName(userAgent: string): string {
  const products = userAgent.match(/[A-Za-z][\w.!-]*(?:[ _-]?[A-Za-z][\w.-]*)?(?=\/|;|\)|$| )/g) ?? [];
  const named = products.find((one) => NAME.test(one));
  return (named ?? userAgent.split(/[/ ;(]/, 1)[0] ?? userAgent).slice(0, 80);
}
