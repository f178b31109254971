package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.journal.EndNotes;
import io.github.wheelscheduler.durable.internal.journal.StatementRows;
import io.github.wheelscheduler.durable.internal.operator.Batches;
import io.github.wheelscheduler.durable.internal.operator.FoundTasks;
import io.github.wheelscheduler.durable.internal.operator.HandlerCounts;
import io.github.wheelscheduler.durable.internal.operator.RowFilter;
import io.github.wheelscheduler.durable.internal.operator.RowSearch;
import io.github.wheelscheduler.durable.internal.operator.TaskDetails;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.internal.trace.DurableTraces;
import io.github.wheelscheduler.durable.internal.trace.Headers;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndRows;
import io.github.wheelscheduler.jdbc.internal.RunJournal;
import io.github.wheelscheduler.testing.AcceptedText;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.asm.ClassReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls every method that sends statements, on a database that answers with no row, and with one, and takes the texts.
 */
class StatementTextTest {

    private static final Instant TIME = Instant.parse("2030-01-01T00:00:00Z");
    private static final String LITERAL = "virtual time";
    private static final String SCHEDULE = "fixed-rate PT1H";

    /** The text that methods are called with and that is read. */
    private static final ThreadLocal<String> WORD = ThreadLocal.withInitial(() -> "name");

    private static final int MOST_STATEMENTS = 60;

    private static final Logger LOGGER = Logger.getLogger("io.github.wheelscheduler.durable");

    private static final Map<Dialect, SortedSet<String>> IN_PRODUCTION = new ConcurrentHashMap<>();

    /** The tag of a string in the constants of a class. */
    private static final int STRING = 8;

    private static final Pattern PART =
            Pattern.compile("^(select|update|insert into|delete from|with) |\\{task}|\\{node}| where "
                    + "(task_name|state|owner|incarnation)");

    private static final DurableSettings SETTINGS = new DurableSettings(
            "wheel_durable_task",
            true,
            "a",
            10,
            Duration.ofSeconds(1),
            2_000,
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(20),
            Duration.ofDays(7),
            5,
            Duration.ofDays(30),
            true,
            DurableSettings.UnknownHandlers.WARN);

    private static final DataSource NO_DATABASE = new Recorder(new ArrayList<>(), 0).dataSource();

    /** Virtual time and traces leave the texts of production as they are. A line begins with the database. */
    @Test
    void productionSendsTheAcceptedStatements() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Dialect dialect : Dialect.values()) {
            SortedSet<String> texts = texts(dialect, null);
            assertThat(texts).hasSizeGreaterThan(120);
            texts.forEach(text -> lines.add(dialect + ": " + text));
            schemaTexts(dialect).forEach(text -> lines.add(dialect + ": " + text));
        }
        new AcceptedText("wheel-scheduler-durable-statements").requireEqual(lines);
    }

    /** Each constant of a class that is a part of a statement stands in one of them. */
    @Test
    void noClassSendsAnotherStatement() throws Exception {
        SortedSet<String> texts = new TreeSet<>();
        for (Dialect dialect : Dialect.values()) {
            texts.addAll(texts(dialect, null));
            texts.addAll(schemaTexts(dialect));
        }
        String all = String.join("\n", texts);
        List<String> unknown = new ArrayList<>();
        int[] known = {0};
        Path classes = Path.of(
                Sql.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".class")).toList()) {
                for (String part : partsOfStatements(new ClassReader(Files.readAllBytes(file)))) {
                    if (Arrays.stream(Dialect.values())
                            .noneMatch(dialect -> all.contains(
                                    sql(NO_DATABASE, dialect, null).text(part).replaceAll("\\s+", " ")))) {
                        unknown.add(file.getFileName() + ": " + part);
                    } else {
                        known[0]++;
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(known[0]).isGreaterThan(150);
    }

    /** Returns the constants of a class that begin as a statement does, or name a table, without what is put in. */
    private static List<String> partsOfStatements(ClassReader reader) {
        List<String> parts = new ArrayList<>();
        char[] buffer = new char[reader.getMaxStringLength()];
        for (int i = 1; i < reader.getItemCount(); i++) {
            int offset = reader.getItem(i);
            if (offset > 0 && reader.readByte(offset - 1) == STRING) {
                String text = String.valueOf(reader.readConst(i, buffer));
                // A concatenation has a character for each value that is put in.
                Arrays.stream(text.split("[\u0001\u0002]|%s"))
                        .filter(part -> PART.matcher(part).find())
                        .forEach(parts::add);
            }
        }
        return parts;
    }

    @ParameterizedTest
    @EnumSource
    void noStatementAsksTheClockInVirtualTime(Dialect dialect) {
        SortedSet<String> production = texts(dialect, null);
        SortedSet<String> virtual = texts(dialect, LITERAL);

        String clock = dialect.now();
        assertThat(production).filteredOn(text -> text.contains(clock)).hasSizeGreaterThan(15);
        assertThat(virtual)
                .noneMatch(text -> text.matches(
                        "(?is).*(clock_timestamp|current_timestamp|utc_timestamp|localtimestamp|now\\s*\\().*"));
        assertThat(virtual)
                .containsExactlyInAnyOrderElementsOf(production.stream()
                        .map(text -> text.replace(clock, LITERAL))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Returns the texts of all statements, with an expression for the time, or with that of production. */
    static SortedSet<String> texts(Dialect dialect, @Nullable String time) {
        return time == null
                ? IN_PRODUCTION.computeIfAbsent(dialect, one -> textsOf(one, null))
                : textsOf(dialect, time);
    }

    /** Thousands of calls fail on answers that make no sense, which nobody reads. */
    private static SortedSet<String> textsOf(Dialect dialect, @Nullable String time) {
        Level before = LOGGER.getLevel();
        LOGGER.setLevel(Level.OFF);
        try {
            return gather(dialect, time);
        } finally {
            LOGGER.setLevel(before);
        }
    }

    private static SortedSet<String> gather(Dialect dialect, @Nullable String time) {
        SortedSet<String> texts = new TreeSet<>();
        for (Recorder recorder : answers(texts)) {
            WORD.set(recorder.word);
            Sql sql = sql(recorder.dataSource(), dialect, time);
            for (RecordComponent component : Tables.class.getRecordComponents()) {
                if (component.getType() != Sql.class) {
                    Object table = invoke(component.getAccessor(), Tables.of(sql));
                    callAll(Objects.requireNonNull(table), recorder);
                }
            }
            Tables tables = Tables.of(sql);
            recorder.left = MOST_STATEMENTS;
            endWithRows(tables.ends());
            recorder.left = MOST_STATEMENTS;
            Set<RowKey> ignored = sql.seenByOthers(List.of(new RowKey("name", "id", 5)));
            askIdleRows(tables, recorder);
        }
        Recorder recorder = new Recorder(texts, 2);
        callOperator(Tables.of(sql(recorder.dataSource(), dialect, time)), recorder);
        if (dialect == Dialect.POSTGRESQL) {
            // On connections of their own, for as long as a node lives.
            texts.add("select " + Notifications.CHANNEL.replace("{task}", SETTINGS.table()));
            texts.add("select pg_notify(" + Notifications.CHANNEL.replace("{task}", SETTINGS.table()) + ", ?)");
        }
        return texts;
    }

    /** Returns databases with answers that lead to other statements. */
    private static List<Recorder> answers(Collection<String> texts) {
        List<Recorder> answers = new ArrayList<>(List.of(new Recorder(texts, 0)));
        for (int state : List.of(RowState.WAITING, RowState.CLAIMED, RowState.ENDED)) {
            for (boolean hasTimes : List.of(true, false)) {
                for (int changed : List.of(0, 1)) {
                    for (boolean isTrue : List.of(true, false)) {
                        for (String word : List.of(SCHEDULE, "name")) {
                            Recorder recorder = new Recorder(texts, 1);
                            recorder.number = state;
                            recorder.hasTimes = hasTimes;
                            recorder.changed = changed;
                            recorder.isTrue = isTrue;
                            recorder.word = word;
                            boolean ignored = answers.add(recorder);
                        }
                    }
                }
            }
        }
        return answers;
    }

    /** Ends rows together with the rows of a history. */
    private static void endWithRows(EndTable table) {
        EndNotes notes = new EndNotes(() -> TIME, () -> 0);
        notes.use(new RowsOfTest(), NO_DATABASE);
        RowKey key = new RowKey("name", "id", 5);
        DurableEnd end = new DurableEnd(DurableEnd.Kind.DONE, "name", "id", 1, null, null, null);
        for (List<RowKey> keys : List.of(List.of(key), List.of(key, new RowKey("name", "id 2", 5)))) {
            for (boolean areAll : List.of(true, false)) {
                StatementRows rows = notes.rows();
                rows.add(key, notes.about(() -> notes.of(end, null)));
                try {
                    Set<RowKey> ignored = areAll ? table.doneAll(keys, rows) : table.doneEach(keys, rows);
                } catch (RuntimeException ex) {
                    // The answers make no sense.
                    assertThat(ex).isNotNull();
                }
            }
        }
    }

    /** A history of two columns. */
    private static final class RowsOfTest implements RunJournal, EndRows, EndRows.EndRow {

        @Override
        public void ended(EndNote end) {}

        @Override
        public EndRows rowsIn(DataSource dataSource) {
            return this;
        }

        @Override
        public EndRow row(EndNote end) {
            return this;
        }

        @Override
        public String target() {
            return "wheel_history_run (noted_at, task)";
        }

        @Override
        public List<String> types() {
            return List.of("timestamptz", "varchar");
        }

        @Override
        public void refused(Throwable why) {}

        @Override
        public Object[] values(Instant now) {
            return new Object[] {now, "name"};
        }

        @Override
        public void committed(boolean isWritten) {}
    }

    private static void askIdleRows(Tables tables, Recorder recorder) {
        for (boolean areMade : List.of(true, false)) {
            for (List<String> names : List.of(List.of("name"), List.<String>of())) {
                recorder.left = MOST_STATEMENTS;
                IdleRows.Answer ignored = IdleRows.ask(
                        tables,
                        SETTINGS,
                        new IdleRows.Moment(TIME, 5, Set.of(), Set.of(), names, names, names, true, areMade, true));
            }
        }
    }

    private static void callOperator(Tables tables, Recorder recorder) {
        recorder.left = MOST_STATEMENTS;
        RowSearch search = new RowSearch(tables);
        for (@Nullable String handler : new @Nullable String[] {null, "name"}) {
            for (@Nullable
            State state :
                    new @Nullable State[] {null, State.SCHEDULED, State.CLAIMED, State.FAILED, State.UNREADABLE}) {
                for (@Nullable String prefix : new @Nullable String[] {null, "na"}) {
                    callSearch(search, RowFilter.of(handler, state, null, prefix, List.of()), recorder);
                }
            }
            RowFilter errors = RowFilter.of(handler, State.FAILED, null, null, List.of("ink"));
            callSearch(search, errors, recorder);
            recorder.left = MOST_STATEMENTS;
            DurableTasks none = (DurableTasks) Proxy.newProxyInstance(
                    DurableTasks.class.getClassLoader(),
                    new Class<?>[] {DurableTasks.class},
                    (self, method, arguments) -> Recorder.simple(method.getReturnType()));
            Batches.Step ignored = new Batches(none, tables, search).step(Batches.Action.RETRY, errors, null, null);
            callSearch(search, RowFilter.of(handler, null, "name", null, List.of()), recorder);
        }
        recorder.left = MOST_STATEMENTS;
        for (String handler : List.of("name", Handler.MADE)) {
            TaskDetails details = TaskDetails.ofTask(tables, handler, "name");
            TaskDetails.Payload ignored = details == null ? null : details.payload(tables, "name", 100);
        }
        recorder.left = MOST_STATEMENTS;
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build()) {
            recorder.dialect = tables.sql().dialect();
            recorder.number = NodeTable.OUR_LAYOUT;
            DurableNode node = new DurableNode(
                    SETTINGS,
                    executor,
                    recorder.dataSource(),
                    JsonMapper.builder().build(),
                    List.of(),
                    DurableObserver.NONE);
            HandlerCounts.All ignored = new HandlerCounts(node).all();
        }
    }

    private static void callSearch(RowSearch search, RowFilter filter, Recorder recorder) {
        recorder.left = MOST_STATEMENTS;
        FoundTasks found = search.find(filter, null, 1);
        found = search.find(filter, found.after(), 1);
        FoundTasks.Count ignored = filter.state() == State.CLAIMED ? null : search.count(filter, found.after());
    }

    /** Returns the texts of the statements that make and change the tables. */
    private static SortedSet<String> schemaTexts(Dialect dialect) {
        SortedSet<String> texts = new TreeSet<>();
        for (int rows = 0; rows <= 1; rows++) {
            Recorder recorder = new Recorder(texts, rows);
            recorder.left = MOST_STATEMENTS;
            recorder.number = NodeTable.OUR_LAYOUT - 1;
            new Schema(recorder.dataSource(), dialect, SETTINGS).make();
        }
        return texts;
    }

    private static Sql sql(DataSource dataSource, Dialect dialect, @Nullable String time) {
        return time == null
                ? new Sql(dataSource, dialect, "wheel_durable_task")
                : new Sql(dataSource, dialect, "wheel_durable_task", nobody -> time, new DurableTraces());
    }

    private static void callAll(Object table, Recorder recorder) {
        Arrays.stream(table.getClass().getDeclaredMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers())
                        && !Modifier.isPrivate(method.getModifiers())
                        && !method.isSynthetic())
                .sorted(Comparator.comparing(Method::toString))
                .forEach(method -> {
                    recorder.left = MOST_STATEMENTS;
                    Object ignored = invoke(method, table);
                });
    }

    /** A method may fail on answers that make no sense; its failure is ignored. */
    private static @Nullable Object invoke(Method method, Object target) {
        try {
            method.setAccessible(true);
            return method.invoke(
                    target,
                    Arrays.stream(method.getGenericParameterTypes())
                            .map(StatementTextTest::value)
                            .toArray());
        } catch (InvocationTargetException | IllegalAccessException ex) {
            return null;
        }
    }

    private static @Nullable Object value(Type type) {
        if (type instanceof ParameterizedType generic) {
            Class<?> raw = (Class<?>) generic.getRawType();
            Type[] arguments = generic.getActualTypeArguments();
            Object last = value(arguments[arguments.length - 1]);
            if (raw == Map.class) {
                return last == null ? Map.of() : Map.of(WORD.get(), last);
            }
            if (raw == Set.class) {
                return last == null ? Set.of() : Set.of(last);
            }
            return !Collection.class.isAssignableFrom(raw) ? null : last == null ? List.of() : List.of(last);
        }
        return type instanceof Class<?> plain ? value(plain) : null;
    }

    private static @Nullable Object value(Class<?> type) {
        if (type == Headers.class) {
            return null; // no span is current
        } else if (type == String.class) {
            return WORD.get();
        } else if (type == Instant.class) {
            return TIME;
        } else if (type == Duration.class) {
            return Duration.ofSeconds(7);
        } else if (type == int.class || type == Integer.class) {
            return 2;
        } else if (type == long.class || type == Long.class) {
            return 3L;
        } else if (type == boolean.class || type == Boolean.class) {
            return true;
        } else if (type == byte[].class) {
            return new byte[] {1};
        } else if (type == RowKey.class) {
            return new RowKey("name", "id", 5);
        } else if (type.isArray()) {
            Object array = Array.newInstance(type.getComponentType(), 1);
            Array.set(array, 0, value(type.getComponentType()));
            return array;
        } else if (type.isEnum()) {
            return type.getEnumConstants()[type.getEnumConstants().length - 1];
        }
        return constant(type);
    }

    /** Returns the one of a type that is called NONE; else one made of such values. */
    private static @Nullable Object constant(Class<?> type) {
        try {
            Field none = type.getDeclaredField("NONE");
            none.setAccessible(true);
            return none.get(null);
        } catch (NoSuchFieldException ex) {
            return made(type);
        } catch (IllegalAccessException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static @Nullable Object made(Class<?> type) {
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        if (constructors.length != 1 || !type.getName().startsWith("io.github.wheelscheduler.durable.internal")) {
            return null;
        }
        try {
            constructors[0].setAccessible(true);
            return constructors[0].newInstance(Arrays.stream(constructors[0].getGenericParameterTypes())
                    .map(StatementTextTest::value)
                    .toArray());
        } catch (ReflectiveOperationException ex) {
            return null;
        }
    }

    /** A database that takes everything and answers with so many rows. */
    private static final class Recorder {

        private static final Map<Dialect, String> PRODUCTS =
                Map.of(Dialect.H2, "H2", Dialect.POSTGRESQL, "PostgreSQL", Dialect.MARIADB, "MariaDB");

        private final Collection<String> texts;
        private final int rows;

        private int left;
        private int number;
        private boolean hasTimes = true;
        private int changed = 1;
        private String word = "name";
        private boolean isTrue;
        private Dialect dialect = Dialect.H2;

        Recorder(Collection<String> texts, int rows) {
            this.texts = texts;
            this.rows = rows;
        }

        DataSource dataSource() {
            return (DataSource) Proxy.newProxyInstance(
                    DataSource.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (self, method, arguments) ->
                            method.getReturnType() == Connection.class ? connection() : simple(method.getReturnType()));
        }

        private Connection connection() {
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) {
                            note((String) arguments[0]);
                            return statement();
                        }
                        return switch (method.getName()) {
                            case "createStatement" -> statement();
                            case "getAutoCommit" -> true;
                            case "getMetaData" -> metaData();
                            default -> simple(method.getReturnType());
                        };
                    });
        }

        private DatabaseMetaData metaData() {
            return (DatabaseMetaData) Proxy.newProxyInstance(
                    DatabaseMetaData.class.getClassLoader(),
                    new Class<?>[] {DatabaseMetaData.class},
                    (self, method, arguments) -> method.getName().equals("getDatabaseProductName")
                            ? PRODUCTS.get(dialect)
                            : simple(method.getReturnType()));
        }

        private void note(String text) {
            if (left-- <= 0) {
                throw new IllegalStateException("No end of statements");
            }
            // A method may send the statement that it is given.
            boolean ignored = !text.equals(WORD.get())
                    && texts.add(text.replaceAll("\\s+", " ").strip());
        }

        private PreparedStatement statement() {
            return (PreparedStatement) Proxy.newProxyInstance(
                    PreparedStatement.class.getClassLoader(),
                    new Class<?>[] {PreparedStatement.class},
                    (self, method, arguments) -> {
                        if (arguments != null
                                && arguments.length > 0
                                && arguments[0] instanceof String text
                                && method.getName().startsWith("execute")) {
                            note(text);
                        }
                        return switch (method.getName()) {
                            case "executeQuery" -> resultSet();
                            case "executeUpdate" -> changed;
                            case "getUpdateCount" -> -1;
                            case "executeBatch" -> new int[] {changed};
                            case "getConnection" -> connection();
                            default -> simple(method.getReturnType());
                        };
                    });
        }

        private ResultSet resultSet() {
            int[] read = {0};
            return (ResultSet) Proxy.newProxyInstance(
                    ResultSet.class.getClassLoader(), new Class<?>[] {ResultSet.class}, (self, method, arguments) -> {
                        if (method.getName().equals("next")) {
                            return read[0]++ < rows;
                        }
                        if (method.getName().equals("getObject") && arguments.length == 2) {
                            if (!hasTimes) {
                                return null;
                            }
                            return arguments[1] == OffsetDateTime.class ? TIME.atOffset(ZoneOffset.UTC) : null;
                        }
                        return switch (method.getName()) {
                            case "getString" ->
                                "what".equals(arguments[0])
                                        ? "due"
                                        : "task_name".equals(arguments[0])
                                                        && WORD.get().equals(SCHEDULE)
                                                ? Handler.MADE
                                                : WORD.get() + (read[0] > 1 ? read[0] : "");
                            case "getTimestamp" -> hasTimes ? Timestamp.from(TIME) : null;
                            case "getInt" -> number;
                            case "getLong" -> 5L;
                            case "getBytes" -> "another".getBytes(StandardCharsets.UTF_8);
                            case "getBoolean" -> isTrue;
                            default -> simple(method.getReturnType());
                        };
                    });
        }

        private static @Nullable Object simple(Class<?> type) {
            if (type == boolean.class) {
                return false;
            } else if (type == int.class) {
                return 0;
            } else if (type == long.class) {
                return 0L;
            }
            return null;
        }
    }
}
