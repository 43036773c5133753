/*
name: mart.bot_ranges
kind: seed
description: >-
  Addresses that operators publish for their crawlers, one row for each prefix. The rows come from sql/seeds/bot_ranges.csv
  of the package and of the project. The project's rows for a list replace the rows of the package. crawlhouse logs bots
  update writes the project's file.
grain: [range_list, prefix]
replaces: [range_list]
columns:
  range_list: >-
    Name of the list, as in googlebot. mart.bot_checks lists its crawlers. A crawler without such a row has
    the list of its own name.
  prefix: Addresses, as in 66.249.64.0/27 or 2001:4860:4801:10::/64.
  source: Address of the operator's file; a file on a disk by its name.
  published: Day of that file, as in 2026-02-04, else the day a copy of it last changed; NULL if none is known.
  copied_from: Copy that the prefixes were read from; NULL if they were read from the source.
*/
