/*
name: mart.bot_ranges
kind: seed
description: >-
  Addresses that operators publish for their crawlers, one row for each prefix. The rows come from
  sql/seeds/bot_ranges.csv of the package and of the project. The project's rows for a list replace the rows of the
  package. crawlhouse logs bots update writes the project's file.
grain: [range_list, prefix]
replaces: [range_list]
columns:
  range_list: >-
    Name of the list, such as googlebot. mart.bot_checks lists its crawlers. A crawler without such a row uses the list
    with the crawler's own name.
  prefix: Addresses, such as 66.249.64.0/27 or 2001:4860:4801:10::/64.
  source: Address of the operator's file; a file on a disk by its name.
  published: >-
    Day of that file, such as 2026-02-04, else the day on which a copy of it last changed; NULL if none is known.
  copied_from: Copy that the prefixes were read from; NULL if they were read from the source.
*/
