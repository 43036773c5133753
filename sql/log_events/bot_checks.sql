/*
name: mart.bot_checks
kind: seed
description: >-
  Ways to verify a crawler by the address of a request, one row for each way. The rows come from
  sql/seeds/bot_checks.csv of the package and of the project. The project's rows for a crawler replace the rows of the
  package.
grain: [crawler, check_method, check_value]
replaces: [crawler]
renamed: {method: check_method, value: check_value}
columns:
  crawler: Name of the crawler (mart.bots.crawler).
  check_method:
    description: >-
      ranges: the address is in a list of ranges. dns: the name of the address ends in a suffix, and the name has the
      address. One successful way is enough.
    tests: [{accepted_values: [ranges, dns]}]
  check_value: The list of ranges (mart.bot_ranges.range_list), or the suffix of names, such as googlebot.com.
  reference: The operator's page that documents the check.
tests:
  - name: each list of ranges has ranges
    severity: warn
    query: |
      SELECT checks.crawler, checks.check_value
      FROM mart.bot_checks AS checks
      WHERE checks.check_method = 'ranges'
        AND NOT EXISTS (SELECT 1 FROM mart.bot_ranges AS ranges WHERE ranges.range_list = checks.check_value)
  - name: each crawler is a known one
    severity: warn
    query: |
      SELECT checks.crawler
      FROM mart.bot_checks AS checks
      WHERE NOT EXISTS (SELECT 1 FROM mart.bots AS bots WHERE bots.crawler = checks.crawler)
*/
