package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** Schedules in words. */
class ScheduleWordsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 0 9 * * MON-FRI          | every weekday at 9:00
            0 30 9 ? * 1-5             | every weekday at 9:30
            0 0 9 * * mon,wed,fri      | every Monday, Wednesday and Friday at 9:00
            0 0 9 * * SAT,SUN          | every Saturday and Sunday at 9:00
            0 0 9 * * 0                | every Sunday at 9:00
            0 0 9 * * 7                | every Sunday at 9:00
            0 0 9 * * SUN-TUE          | every Monday, Tuesday and Sunday at 9:00
            0 0 9 * * MON-THU          | every day from Monday to Thursday at 9:00
            0 0 9 * * */2              | every Monday, Wednesday, Friday and Sunday at 9:00
            0 0 9 * * *                | every day at 9:00
            15 30 2 * * *              | every day at 2:30:15
            0 30 2,14 * * *            | every day at 2:30 and 14:30
            0 0,30 9,17 * * *          | every day at 9:00, 9:30, 17:00 and 17:30
            0 1/2147483647 * * * *     | cron 0 1/2147483647 * * * *
            0 0 0 L-2147483648 * *     | cron 0 0 0 L-2147483648 * *
            0 0 0 * * *                | every day at 0:00
            0 0 3 * 1 *                | every day at 3:00 in January
            0 0 3 * 3-10 *             | every day at 3:00 in each month from March to October
            0 0 9 * 1,7 MON-FRI        | every weekday at 9:00 in January and July
            """)
    void daysAndTimesAreSaid(String cron, String words) {
        assertWords(cron, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            * * * * * *                | every second
            */10 * * * * *             | every 10 s
            0 * * * * *                | every minute
            30 * * * * *               | every minute at second 30
            0 */15 * * * *             | every 15 minutes
            0 0/15 * * * *             | every 15 minutes
            0 0,30 * * * *             | every 30 minutes
            20 */15 * * * *            | every 15 minutes at second 20
            0 5/15 * * * *             | at minutes 5, 20, 35 and 50 of each hour
            0 5,20 * * * *             | at minutes 5 and 20 of each hour
            0 */7 * * * *              | at minutes 0 to 56 in steps of 7 of each hour
            0 1-5,30 * * * *           | at minutes 1 to 5 and 30 of each hour
            20 5,20 * * * *            | at second 20 of minutes 5 and 20 of each hour
            0 0 * * * *                | every hour
            0 5 * * * *                | every hour at minute 5
            15 5 * * * *               | every hour at minute 5 and second 15
            0 0 */2 * * *              | every 2 hours
            0 0 */6 * * *              | every 6 hours
            0 0 */8 * * *              | every day at 0:00, 8:00 and 16:00
            0 0 */5 * * *              | every day at 0:00, 5:00, 10:00, 15:00 and 20:00
            0 5 */2 * * *              | every 2 hours from 0:05 to 22:05
            0 0 1/2 * * *              | every 2 hours from 1:00 to 23:00
            0 0 9-17 * * *             | every hour from 9:00 to 17:00
            0 30 9-17 * * MON-FRI      | every hour from 9:30 to 17:30 on weekdays
            0 */15 9-17 * * *          | every 15 minutes from 9:00 to 17:45
            30 */15 9-17 * * *         | every 15 minutes from 9:00:30 to 17:45:30
            0 * 9 * * *                | every minute from 9:00 to 9:59
            0 */10 9,12,15 * * *       | every 10 minutes in hours 9, 12 and 15
            0 5,20 8-18 * * *          | at minutes 5 and 20 of hours 8 to 18
            */10 * 9-17 * * *          | every 10 s from 9:00:00 to 17:59:50
            */10 * 9,12,15 * * *       | every 10 s in hours 9, 12 and 15
            * 0 9-23 * * *             | every second in minute 0 of hours 9 to 23
            */5 0 * * * *              | every 5 s in minute 0 of each hour
            * */30 * * * *             | every second in minutes 0 and 30 of each hour
            * * */2 * * *              | every second in hours 0 to 22 in steps of 2
            1,7,20 * * * * *           | at seconds 1, 7 and 20 of each minute
            1,7 0 1-9 * * *            | at seconds 1 and 7 of minute 0 of hours 1 to 9
            0 0 0,3,4,6,9,12,15,20 * * * | at 0:00, 3:00, 4:00, 6:00, 9:00, 12:00, 15:00 and 20:00
            0 */15 * * * SAT,SUN       | every 15 minutes on Saturdays and Sundays
            0 */15 * * * TUE-SAT       | every 15 minutes from Tuesday to Saturday
            0 */15 * 6-8 6-8 *         | every 15 minutes on the 6th to the 8th of each month from June to August
            0 */15 * * 6,7 *           | every 15 minutes in June and July
            """)
    void intervals(String cron, String words) {
        assertWords(cron, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 0 3 1 * *                | on the first of each month at 3:00
            0 0 3 1 * ?                | on the first of each month at 3:00
            0 0 3 1,15 * *             | on the first and the 15th of each month at 3:00
            0 0 3 2,11-13,22,23 * *    | on the 2nd, the 11th to the 13th, the 22nd and the 23rd of each month at 3:00
            0 0 3 1-7 * *              | on the first to the 7th of each month at 3:00
            0 0 3 */2 * *              | on every 2nd day from the first to the 31st of each month at 3:00
            0 0 3 31 * *               | on the 31st of each month that has it at 3:00
            0 0 3 L * *                | on the last day of each month at 3:00
            0 0 3 L-1 * *              | on the day before the last day of each month at 3:00
            0 0 3 L-3 * *              | on the 3rd day before the last day of each month at 3:00
            0 0 3 LW * *               | on the last weekday of each month at 3:00
            0 0 3 15W * *              | on the weekday nearest to the 15th of each month at 3:00
            0 0 3 1W * *               | on the weekday nearest to the first of each month at 3:00
            0 0 3 1,15,L * *           | on the first, the 15th and the last day of each month at 3:00
            0 0 3 1 1,7 *              | on the first of January and July at 3:00
            0 0 3 1 */3 *              | on the first of January, April, July and October at 3:00
            0 30 4 1 JUL *             | every year on 1 July at 4:30
            0 30 4 29 2 *              | on 29 February at 4:30
            0 0 3 * * FRI#2            | on the second Friday of each month at 3:00
            0 0 3 * * 0#1              | on the first Sunday of each month at 3:00
            0 0 3 * * 5L               | on the last Friday of each month at 3:00
            0 0 3 * * SUNL             | on the last Sunday of each month at 3:00
            0 0 3 * * 1#1,FRIL         | on the first Monday and the last Friday of each month at 3:00
            0 0 3 * 5 MON#1            | on the first Monday of May at 3:00
            0 */15 * L * *             | every 15 minutes on the last day of each month
            0 0 0 13 * FRI             | at 0:00 on the 13th of each month if that is a Friday
            0 0 0 1-7 * MON,TUE        | at 0:00 on the first to the 7th of each month if that is a Monday or Tuesday
            0 0 0 L * MON-FRI          | at 0:00 on the last day of each month if that is a weekday
            0 */15 * 13 * FRI          | every 15 minutes on the 13th of each month if that is a Friday
            """)
    void daysOfMonths(String cron, String words) {
        assertWords(cron, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 0 3 * * MON,FRI#2        | second 0, minute 0, hour 3, day of month *, month *, day of week MON,FRI#2
            0 0 3 13 * 5L              | second 0, minute 0, hour 3, day of month 13, month *, day of week 5L
            """)
    void cronWithoutAPhraseIsSaidFieldByField(String cron, String words) {
        assertWords(cron, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            @yearly   | every year on 1 January at 0:00
            @annually | every year on 1 January at 0:00
            @monthly  | on the first of each month at 0:00
            @weekly   | every Sunday at 0:00
            @daily    | every day at 0:00
            @midnight | every day at 0:00
            @hourly   | every hour
            """)
    void macrosAreSaid(String cron, String words) {
        assertWords(cron, words);
    }

    private static void assertWords(String cron, String words) {
        assertThat(CronExpression.isValidExpression(cron)).as(cron).isTrue();
        assertThat(ScheduleWords.ofCron(cron)).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PT5S      | every 5 s         | 5 s after each run
            PT0.25S   | every 250 ms      | 250 ms after each run
            PT0.0005S | every 0.5 ms      | 0.5 ms after each run
            PT1.5S    | every 1.5 s       | 1.5 s after each run
            PT1M      | every minute      | 1 min after each run
            PT15M     | every 15 minutes  | 15 min after each run
            PT1H      | every hour        | 1 h after each run
            PT24H     | every 24 hours    | 24 h after each run
            PT90M     | every 90 minutes  | 1 h 30 min after each run
            PT1M30S   | every 1 min 30 s  | 1 min 30 s after each run
            """)
    void ratesAndDelaysAreSaid(Duration interval, String rate, String delay) {
        assertThat(ScheduleWords.of(TaskSchedule.fixedRate(interval))).isEqualTo(rate);
        assertThat(ScheduleWords.of(TaskSchedule.fixedDelay(interval))).isEqualTo(delay);
        PeriodicTrigger trigger = new PeriodicTrigger(interval);
        assertThat(ScheduleWords.of(TaskSchedule.trigger(trigger))).isEqualTo(delay);
        trigger.setFixedRate(true);
        assertThat(ScheduleWords.of(TaskSchedule.trigger(trigger))).isEqualTo(rate);
    }

    @Test
    void oneRunAndATriggerOfOnesOwnAreSaid() {
        assertThat(ScheduleWords.of(TaskSchedule.once(Instant.parse("2030-01-01T12:00:00.062174054Z"))))
                .isEqualTo("once, at 2030-01-01 12:00:00 UTC");
        assertThat(ScheduleWords.of(TaskSchedule.trigger(new Moon())))
                .isEqualTo("when " + Moon.class.getName() + " says");
    }

    @Test
    void zoneIsNotSaid() {
        assertThat(ScheduleWords.of(TaskSchedule.cron("0 0 9 * * MON-FRI", ZoneOffset.UTC)))
                .isEqualTo("every weekday at 9:00");
        assertThat(ScheduleWords.of(TaskSchedule.trigger(new CronTrigger("@daily"))))
                .isEqualTo("every day at 0:00");
    }

    /** Knows alone when it is time. */
    private static final class Moon implements Trigger {

        @Override
        public Instant nextExecution(TriggerContext context) {
            throw new AssertionError("must not be asked");
        }
    }
}
