/**
 * Zone abbreviations that mean one offset from UTC, in minutes (docs/decisions/staging.md). An abbreviation is here if
 * the IANA time zone database gives it one offset in every place since 1970. Former releases and the short ids of Java
 * and ICU must not give it another. EST, CST, PST, BST and IST fail that: each names several places.
 */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  UTC: 0,
  UT: 0,
  UCT: 0,
  GMT: 0,
  Z: 0,
  ZULU: 0,
  UNIVERSAL: 0,
  GREENWICH: 0,
  GMT0: 0,
  WET: 0,
  WEST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  AWST: 480,
  JST: 540,
  ACST: 570,
  ACDT: 630,
  AEST: 600,
  AEDT: 660,
  NZST: 720,
  NZDT: 780,
  HST: -600,
  AKST: -540,
  AKDT: -480,
  MST: -420,
  MDT: -360,
  EDT: -240,
};

/** Names of places in the IANA database that have no slash. The others look like `Europe/Paris`. */
const PLACES =
  `CUBA EGYPT EIRE GB GB-EIRE HONGKONG ICELAND IRAN ISRAEL JAMAICA JAPAN KWAJALEIN LIBYA NAVAJO NZ NZ-CHAT
  POLAND PORTUGAL PRC ROC ROK SINGAPORE TURKEY W-SU EST5EDT CST6CDT MST7MDT PST8PDT`.split(/\s+/);

/** SQL of the offset in minutes of an abbreviation in capitals; NULL if it has none. */
export function abbreviationOffsetSql(name: string): string {
  const cases = Object.entries(ABBREVIATIONS).map(([zone, minutes]) => `WHEN '${zone}' THEN ${minutes}`);
  return `CASE ${name} ${cases.join(' ')} END`;
}

/** SQL that is true for the name of a place in capitals, if there is such a place. ICU also knows zones that are none. */
export function isPlaceSql(name: string): string {
  const places = PLACES.map((place) => `'${place}'`).join(', ');
  return `(${name} IN (${places}) OR (contains(${name}, '/') AND NOT prefix(${name}, 'SYSTEMV/') AND ${name} <> 'ETC/UNKNOWN'))`;
}
