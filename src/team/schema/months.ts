// Partitions of months, made by the first push that needs them.
import { partitionedTables } from './content.ts';

export const monthFunctions: string = `
-- Errors of this schema, told apart by their code.
-- CL001 the store does not know this role, CL002 a level above what is asked for, CL003 a month that is out of range,
-- CL004 a head or a reading that contradicts itself, CL005 on legal hold.

-- Partitions of these months. ATTACH takes a lock that neither reads nor pushes wait for. The settings of the caller must not
-- decide where the tables are.
CREATE FUNCTION clew.ensure_months(wanted date[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET default_tablespace = '' SET default_table_access_method = heap
SET DateStyle = 'ISO' AS $$
DECLARE
  start date;
  parent text;
  part text;
  textual text;
BEGIN
  IF EXISTS (SELECT FROM unnest(wanted) m WHERE m IS NULL OR extract(day FROM m) <> 1
      OR NOT (m = '1970-01-01' OR m BETWEEN '2020-01-01' AND now() + interval '1 month')) THEN
    RAISE EXCEPTION 'a month is out of range' USING ERRCODE = 'CL003';
  END IF;
  FOR start IN SELECT DISTINCT m FROM unnest(wanted) m LOOP
    CONTINUE WHEN to_regclass(format('clew.usage_days_%s', to_char(start::timestamp, 'YYYY_MM'))) IS NOT NULL;
    -- A row that others cannot lock: an advisory lock could be held by anyone who can connect.
    PERFORM FROM clew.migrations WHERE version = 1 FOR UPDATE;
    -- Not to_regclass, which remembers that there was no such table before the wait.
    CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relnamespace = 'clew'::regnamespace
      AND relname = format('usage_days_%s', to_char(start::timestamp, 'YYYY_MM')));
    FOREACH parent IN ARRAY ARRAY[${partitionedTables.map((table) => `'${table}'`).join(', ')}] LOOP
      part := format('%s_%s', parent, to_char(start::timestamp, 'YYYY_MM'));
      EXECUTE format('CREATE TABLE clew.%I (LIKE clew.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', part, parent);
      -- Long texts and their words do not stay in the rows: a search counts rows, and a page has half as many again.
      IF parent = 'documents' THEN EXECUTE format('ALTER TABLE clew.%I SET (toast_tuple_target = 160)', part); END IF;
      -- The policies of the parent hold only for queries of the parent. Default privileges of the database may open a new
      -- table; with no policy of its own it shows nothing.
      EXECUTE format('ALTER TABLE clew.%I ENABLE ROW LEVEL SECURITY', part);
      EXECUTE format('REVOKE ALL ON clew.%I FROM PUBLIC', part);
      FOR textual IN SELECT attname FROM pg_attribute WHERE attrelid = format('clew.%I', parent)::regclass AND attstattarget = 0
          AND attnum > 0 LOOP
        EXECUTE format('ALTER TABLE clew.%I ALTER COLUMN %I SET STATISTICS 0', part, textual);
      END LOOP;
      EXECUTE format('ALTER TABLE clew.%I ATTACH PARTITION clew.%I FOR VALUES FROM (%L) TO (%L)',
        parent, part, start, (start + interval '1 month')::date);
    END LOOP;
  END LOOP;
END $$;
`;
