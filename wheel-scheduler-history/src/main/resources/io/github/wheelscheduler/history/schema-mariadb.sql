-- The tables of the history of runs. Times are those of UTC.
create table if not exists wheel_history_run (
    id bigint not null auto_increment,
    noted_at datetime(6) not null,
    task varchar(250) not null,
    instance varchar(250),
    scheduler varchar(250) not null,
    node varchar(50) not null,
    due datetime(6),
    started datetime(6),
    micros bigint,
    outcome smallint not null,
    runs bigint default 1 not null,
    attempt int default 1 not null,
    cause smallint default 0 not null,
    by_whom varchar(250),
    detail varchar(50),
    trace_id varchar(64),
    failure varchar(250),
    message varchar(200),
    kind varchar(32),
    primary key (id),
    index wheel_history_run_task (task, noted_at),
    index wheel_history_run_at (noted_at)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create table if not exists wheel_history_text (
    task varchar(250) not null,
    on_day date not null,
    kind varchar(32) not null,
    failure varchar(250) not null,
    text longtext not null,
    primary key (task, on_day, kind)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create table if not exists wheel_history_count (
    starts_at datetime(6) not null,
    task varchar(250) not null,
    node varchar(50) not null,
    outcome smallint not null,
    runs bigint not null,
    micros bigint not null,
    longest bigint not null,
    earliest datetime(6) not null,
    latest datetime(6) not null,
    index wheel_history_count_task (task, starts_at),
    index wheel_history_count_start (starts_at)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create table if not exists wheel_history_hour (
    starts_at datetime(6) not null,
    task varchar(250) not null,
    node varchar(50) not null,
    outcome smallint not null,
    runs bigint not null,
    micros bigint not null,
    longest bigint not null,
    earliest datetime(6) not null,
    latest datetime(6) not null,
    index wheel_history_hour_task (task, starts_at),
    index wheel_history_hour_start (starts_at)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create table if not exists wheel_history_day (
    starts_at datetime(6) not null,
    task varchar(250) not null,
    outcome smallint not null,
    runs bigint not null,
    micros bigint not null,
    longest bigint not null,
    earliest datetime(6) not null,
    latest datetime(6) not null,
    index wheel_history_day_task (task, starts_at),
    primary key (starts_at, task, outcome)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create table if not exists wheel_history_kind (
    starts_at datetime(6) not null,
    task varchar(250) not null,
    kind varchar(32) not null,
    failure varchar(250) not null,
    rows_written bigint not null,
    earliest datetime(6) not null,
    latest datetime(6) not null,
    index wheel_history_kind_task (task, starts_at),
    index wheel_history_kind_start (starts_at)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create table if not exists wheel_history_audit (
    id bigint not null auto_increment,
    noted_at datetime(6) not null,
    node varchar(50) not null,
    scheduler varchar(250) not null,
    task varchar(250),
    instance varchar(250),
    action varchar(50) not null,
    channel varchar(50) not null,
    who varchar(250),
    from_state varchar(500),
    to_state varchar(500),
    reason varchar(500),
    refusal varchar(500),
    primary key (id),
    index wheel_history_audit_at (noted_at)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create table if not exists wheel_history_state (
    name varchar(20) not null,
    number bigint not null,
    oldest bigint,
    primary key (name)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create or replace view wheel_runs_by_hour as
    select starts_at, task, node, outcome, sum(runs) as runs, sum(micros) as micros, max(longest) as longest,
        min(earliest) as earliest, max(latest) as latest
    from (
        select starts_at, task, node, outcome, runs, micros, longest, earliest, latest from wheel_history_hour
        union all
        select starts_at, task, node, outcome, runs, micros, longest, earliest, latest from wheel_history_count
        union all
        select date_add(date(noted_at), interval hour(noted_at) hour) as starts_at,
            task, node, outcome, runs, coalesce(micros, 0), coalesce(micros, 0), noted_at, noted_at
        from wheel_history_run
        where noted_at >= (
            select timestampadd(second, number, timestamp '1970-01-01 00:00:00') from wheel_history_state where name = 'folded'
        )
    ) totals
    group by starts_at, task, node, outcome;
insert into wheel_history_state (name, number)
    select 'folded',
        floor(timestampdiff(second, timestamp '1970-01-01 00:00:00', utc_timestamp()) / 3600) * 3600 from dual
    where not exists (select 1 from wheel_history_state where name = 'folded');
insert into wheel_history_state (name, number, oldest)
    select 'layout', 1, 1 from dual
    where not exists (select 1 from wheel_history_state where name = 'layout');
