-- Adds to tables of layout 1 what layout 2 has. Nodes of layout 1 go on beside it.
set local lock_timeout = '3s';
alter table wheel_durable_task
    add column if not exists replaced text,
    add column if not exists format varchar(50),
    add column if not exists next_format varchar(50),
    add column if not exists earlier_attempts int,
    add column if not exists retries int,
    add column if not exists back_off_millis bigint,
    add column if not exists max_back_off_millis bigint,
    add column if not exists next_retries int,
    add column if not exists next_back_off_millis bigint,
    add column if not exists next_max_back_off_millis bigint,
    add column if not exists made_for varchar(250),
    add column if not exists declared text,
    add column if not exists by_hand varchar(250),
    add column if not exists traceparent varchar(100),
    add column if not exists tracestate text,
    add column if not exists baggage text,
    add column if not exists failed_traceparent varchar(100),
    add column if not exists origin_version bigint,
    add column if not exists next_traceparent varchar(100),
    add column if not exists next_tracestate text,
    add column if not exists next_baggage text,
    add column if not exists next_origin_version bigint;
alter table wheel_durable_task_node
    add column if not exists handlers text,
    add column if not exists schedules text;
update wheel_durable_task_node set layout = 2 where incarnation = 0 and layout = 1;
