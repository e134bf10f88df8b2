/** Three rows as each tool writes them: plain, claimed with text over two lines, and with what needs escaping. */
const COLUMNS =
  'job_id, job_cmd, job_namespace, job_title, job_timestamp, job_params, job_random, job_attempts, job_token, job_token_timestamp, job_sha1';
const TOKEN = '0123456789abcdef0123456789abcdef';
const SHA1 = [
  'p42glrsl783wj55io7lxhmhxf0e5db5',
  '68q3j94xx8so3knirxwcfzvismptp3g',
  'mce3o97znqo40pt7awv18olnpugeueg',
];

export const params = [
  'a:0:{}',
  'a:1:{s:4:"body";s:7:"one\ntwo";}',
  `a:1:{s:1:"t";s:12:"a\tb\\n'c''d;)";}`,
] as const;

export const csv = [
  COLUMNS.replaceAll(' ', ''),
  `1,null,-1,"",2026-11-30 11:01:51+00,a:0:{},7,0,"",,${SHA1[0]}`,
  `2,sendMail,0,Ünï,2026-11-30 12:01:52.50+01,"a:1:{s:4:""body"";s:7:""one`,
  `two"";}",8,1,${TOKEN},2026-11-30 11:02:00+00,${SHA1[1]}`,
  `3,null,-1,"",,"a:1:{s:1:""t"";s:12:""a\tb\\n'c''d;)"";}",9,0,"",,${SHA1[2]}`,
  '',
].join('\n');

const copyRows = [
  `1\tnull\t-1\t\t2026-11-30 11:01:51+00\ta:0:{}\t7\t0\t\t\\N\t${SHA1[0]}`,
  `2\tsendMail\t0\tÜnï\t2026-11-30 12:01:52.50+01\ta:1:{s:4:"body";s:7:"one\\ntwo";}\t8\t1\t${TOKEN}\t2026-11-30 11:02:00+00\t${SHA1[1]}`,
  `3\tnull\t-1\t\t\\N\ta:1:{s:1:"t";s:12:"a\\tb\\\\n'c''d;)";}\t9\t0\t\t\\N\t${SHA1[2]}`,
];
const pgHeader = [
  '--',
  '-- PostgreSQL database dump',
  '--',
  '',
  '\\restrict abc',
  '',
  "SET client_encoding = 'UTF8';",
];
const pgOther = [
  'CREATE FUNCTION public.f() RETURNS text LANGUAGE sql AS $_$',
  "  -- it's; INSERT INTO job VALUES (1);",
  '  SELECT 1; $_$;',
  'COPY public.page (page_id, page_title) FROM stdin;',
  '1\tINSERT INTO job VALUES (4);',
  '\\.',
];
const pgFooter = ['--', '-- PostgreSQL database dump complete', '--', '', '\\unrestrict abc', ''];

export const pgCopy = [
  ...pgHeader,
  ...pgOther,
  `COPY mediawiki.job (${COLUMNS}) FROM stdin;`,
  ...copyRows,
  '\\.',
  '',
  ...pgFooter,
].join('\n');

const standardRows = [
  `(1, 'null', -1, '', '2026-11-30 11:01:51+00', 'a:0:{}', 7, 0, '', NULL, '${SHA1[0]}')`,
  `(2, 'sendMail', 0, 'Ünï', '2026-11-30 12:01:52.50+01', 'a:1:{s:4:"body";s:7:"one\ntwo";}', 8, 1, '${TOKEN}', '2026-11-30 11:02:00+00', '${SHA1[1]}')`,
  `(3, 'null', -1, '', NULL, 'a:1:{s:1:"t";s:12:"a\tb\\n''c''''d;)";}', 9, 0, '', NULL, '${SHA1[2]}')`,
];

const times = (count: number, lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, () => lines).flat();

/** With so many other tables before it. */
export const pgInsertsOf = (others: number): string =>
  [
    ...pgHeader,
    ...times(others, pgOther),
    'CREATE TABLE mediawiki.job (',
    '    job_id integer NOT NULL,',
    "    job_cmd text DEFAULT ''::text NOT NULL,",
    '    job_namespace integer NOT NULL, job_title text NOT NULL, job_timestamp timestamp with time zone,',
    '    job_params text NOT NULL, job_random integer DEFAULT 0 NOT NULL, job_attempts integer DEFAULT 0 NOT NULL,',
    "    job_token text DEFAULT ''::text NOT NULL, job_token_timestamp timestamp with time zone,",
    "    job_sha1 text DEFAULT ''::text NOT NULL,",
    '    CONSTRAINT job_pkey PRIMARY KEY (job_id)',
    ');',
    ...standardRows.map((row) => `INSERT INTO mediawiki.job VALUES ${row};`),
    ...pgFooter,
  ].join('\n');
export const pgInserts = pgInsertsOf(1);

const mysqlRows = [
  `(1,'null',-1,'','20261130110151','a:0:{}',7,0,'',NULL,'${SHA1[0]}')`,
  `(2,'sendMail',0,'Ünï','20261130110152',_binary 'a:1:{s:4:\\"body\\";s:7:\\"one\\ntwo\\";}',8,1,'${TOKEN}','20261130110200','${SHA1[1]}')`,
  `(3,'null',-1,'',NULL,0x${Buffer.from(params[2]).toString('hex').toUpperCase()},9,0,'',NULL,'${SHA1[2]}')`,
];
const mysqlHeader = [
  '-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)',
  '--',
  '/*!40101 SET NAMES utf8mb4 */;',
];
const mysqlOther = [
  'CREATE TABLE `page` (`page_id` int NOT NULL);',
  "INSERT INTO `page` VALUES (1,'it\\'s; INSERT INTO `job` VALUES (4);'),(2,\"--\"); -- INSERT INTO `job` VALUES (5);",
  'DELIMITER ;;',
  'CREATE PROCEDURE p() BEGIN',
  "INSERT INTO `job` VALUES (6,'x',0,'','','',0,0,'','','');",
  'END ;;',
  'DELIMITER ;',
];
const mysqlLayout = [
  'CREATE TABLE `job` (',
  ...COLUMNS.split(', ').map((name) => `  \`${name}\` varbinary(60) NOT NULL DEFAULT '' COMMENT 'a, (b',`),
  '  PRIMARY KEY (`job_id`),',
  '  KEY `job_cmd` (`job_cmd`,`job_namespace`,`job_title`,`job_params`(128))',
  ') ENGINE=InnoDB DEFAULT CHARSET=binary;',
];

export const mysqldumpOf = (others: number): string =>
  [
    ...mysqlHeader,
    ...times(others, mysqlOther),
    ...mysqlLayout,
    `INSERT INTO \`job\` VALUES ${mysqlRows[0]},${mysqlRows[1]};`,
    `INSERT INTO \`job\` VALUES`,
    `${mysqlRows[2]};`,
    '-- Dump completed on 2026-11-30 11:16:49',
    '',
  ].join('\n');
export const mysqldump = mysqldumpOf(1);

export const sqlite = [
  'PRAGMA foreign_keys=OFF;',
  'BEGIN TRANSACTION;',
  `CREATE TABLE job (${COLUMNS.split(', ').join(' BLOB, ')} BLOB);`,
  `INSERT INTO job VALUES(1,'null',-1,'','20261130110151','a:0:{}',7,0,'',NULL,'${SHA1[0]}');`,
  `INSERT INTO job VALUES(2,'sendMail',0,'Ünï','20261130110152',replace('a:1:{s:4:"body";s:7:"one\\ntwo";}','\\n',char(10)),8,1,'${TOKEN}','20261130110200','${SHA1[1]}');`,
  `INSERT INTO "job" VALUES(3,'null',-1,'',NULL,X'${Buffer.from(params[2]).toString('hex')}',9,0,'',NULL,'${SHA1[2]}');`,
  'COMMIT;',
  '',
].join('\n');
