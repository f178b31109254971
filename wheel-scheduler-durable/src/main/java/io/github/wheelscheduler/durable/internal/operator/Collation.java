package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.internal.Dialect;
import io.github.wheelscheduler.durable.internal.Sql;
import java.util.Set;

/** Knows whether ids that begin with a text stand next to each other in the primary key. */
final class Collation {

    /** Those of PostgreSQL that compare bytes; {@code like} uses no index of another one. */
    private static final Set<String> BYTES = Set.of("C", "POSIX", "ucs_basic");

    private static final String NAME = "select case when l.collname = 'default' then d.datcollate else l.collname end"
            + " from pg_attribute a join pg_collation l on l.oid = a.attcollation, pg_database d"
            + " where a.attrelid = '{task}'::regclass and a.attname = 'task_instance'"
            + " and d.datname = current_database()";

    private Collation() {}

    /** Returns whether they are one range of it; on MariaDB and H2 they always are. */
    static boolean makesPrefixesRanges(Sql sql) {
        return sql.dialect() != Dialect.POSTGRESQL
                || sql.query(NAME, (row, number) -> row.getString(1)).stream().allMatch(BYTES::contains);
    }
}
