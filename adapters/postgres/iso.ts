/** SQL that gives an instant as ISO-8601 UTC with milliseconds, whatever the server's zone and date style. */
export const isoSql = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
