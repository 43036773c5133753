/** SQL that holds where a text is a whole number that HUGEINT holds. */
export function isWhole(number: string, digits = 38): string {
  return `regexp_full_match(${number}, '-?[0-9]{1,${digits}}')`;
}

/** SQL for the text of a number in one form for one value: whole numbers with all their digits, others as a DOUBLE's. */
export function canonicalNumber(number: string): string {
  const rounded = `CAST(TRY_CAST(${number} AS DOUBLE) AS VARCHAR)`;
  return `CASE WHEN ${isWhole(number)} THEN ${number} ELSE regexp_replace(${rounded}, '\\.0$', '') END`;
}
