-- The tables of durable tasks. The first columns have the names that db-scheduler gives them; its Scheduler must not run on this table.
-- Times are those of UTC. The indexes keep their names where the table has another one: a claim names that of what is due.
create table if not exists wheel_durable_task (
    task_name varchar(250) not null,
    task_instance varchar(250) not null,
    task_data longblob,
    execution_time datetime(6) not null,
    state smallint default 0 not null,
    owner bigint,
    version bigint default 1 not null,
    first_time datetime(6),
    last_success datetime(6),
    last_failure datetime(6),
    consecutive_failures int,
    failure longtext,
    unreadable int,
    suspicions int,
    marked boolean,
    deaths int,
    paused boolean default false not null,
    schedule longtext,
    regular_time datetime(6),
    known_at datetime(6),
    next_time datetime(6),
    next_data longblob,
    asked_to_end boolean,
    primary key (task_name, task_instance),
    index wheel_durable_task_due (state, task_name, execution_time),
    index wheel_durable_task_owner (owner)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create table if not exists wheel_durable_task_node (
    incarnation bigint primary key,
    name varchar(50) not null,
    state smallint not null,
    beat bigint not null,
    beat_at datetime(6) not null,
    full_looks bigint default 0 not null,
    asked bigint default 0 not null,
    layout int,
    oldest_layout int
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
insert into wheel_durable_task_node (incarnation, name, state, beat, beat_at, layout, oldest_layout)
    select 0, 'layout', 9, 0, utc_timestamp(6), 1, 1 from dual
    where not exists (select 1 from wheel_durable_task_node where incarnation = 0);
