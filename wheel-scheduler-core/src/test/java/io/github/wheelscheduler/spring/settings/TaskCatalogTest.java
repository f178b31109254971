package io.github.wheelscheduler.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.reflect.Method;
import java.time.Duration;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.ReflectionUtils;

class TaskCatalogTest {

    private static final TaskSettings ONE = jitter(1);
    private static final TaskSettings TWO = jitter(2);
    private static final TaskSettings PAUSED =
            TaskSettings.builder().pauseAfterFailures(3).build();

    private final TaskCatalog catalog = new TaskCatalog();

    private static TaskSettings jitter(int seconds) {
        return TaskSettings.builder().jitter(Duration.ofSeconds(seconds)).build();
    }

    static class Jobs {
        void poll() {}

        void push() {}
    }

    private static TaskDeclaration declaration(String method, String id, boolean isGiven, TaskSettings settings) {
        Method found = ReflectionUtils.findMethod(Jobs.class, method);
        assertThat(found).isNotNull();
        return new TaskDeclaration("Jobs." + method, Jobs.class, found, id, isGiven, settings);
    }

    private TaskSettings settingsOf(String id) {
        return catalog.settingsOf(id, TaskSettings.NONE);
    }

    @Test
    void whatIsSetFromOutsideGoesOverWhatIsGivenAndThatOverWhatIsSetInCode() {
        catalog.set(
                "task",
                TaskSettings.builder()
                        .jitter(Duration.ofSeconds(1))
                        .pauseAfterFailures(1)
                        .missedRuns(MissedRuns.SKIP)
                        .build());
        TaskSettings given = PAUSED.overlaidWith(TWO);
        catalog.override("task", jitter(3));
        assertThat(catalog.settingsOf("task", given).toMap())
                .containsEntry("jitter", "PT3S")
                .containsEntry("pause-after-failures", "3")
                .containsEntry("missed-runs", "skip");
        assertThat(settingsOf("other")).isSameAs(TaskSettings.NONE);
    }

    @Test
    void whatIsSetInCodeGoesOverAnAnnotationWhicheverComesFirst() {
        catalog.declare(declaration("poll", "poll", true, ONE.overlaidWith(PAUSED)));
        catalog.set("push", TWO);
        catalog.declare(declaration("push", "push", true, ONE.overlaidWith(PAUSED)));
        assertThat(settingsOf("poll").toMap())
                .containsEntry("jitter", "PT1S")
                .containsEntry("pause-after-failures", "3");
        assertThat(settingsOf("push").toMap())
                .containsEntry("jitter", "PT2S")
                .containsEntry("pause-after-failures", "3");
    }

    @Test
    void anEnvironmentVariableNamesAnIdByItsLettersAndDigits() {
        catalog.override("comexamplejobspoll", ONE);
        assertThat(settingsOf("com.example.Jobs.poll")).isEqualTo(ONE);
        catalog.override("com.example.Jobs.poll", TWO.overlaidWith(PAUSED));
        assertThat(settingsOf("com.example.Jobs.poll"))
                .as("over what a file says")
                .isEqualTo(ONE.overlaidWith(PAUSED));
        assertThat(settingsOf("com.example.Jobs.push")).isSameAs(TaskSettings.NONE);
        assertThat(catalog.unknownOverrides()).isEmpty();
    }

    @Test
    void anIdThatWasGivenToTwoMethodsIsRefusedAndTheSameOneAgainIsNot() {
        catalog.declare(declaration("poll", "job", true, ONE));
        catalog.declare(declaration("poll", "job", true, ONE));
        assertThatIllegalStateException()
                .isThrownBy(() -> catalog.declare(declaration("push", "job", true, ONE)))
                .withMessageContaining(
                        "job was given to " + Jobs.class.getName() + ".poll and to " + Jobs.class.getName() + ".push");
    }

    @Test
    void anIdThatAnotherMethodHasByItsNameIsRefused() {
        catalog.declare(declaration("poll", "Jobs.poll", false, TaskSettings.NONE));
        assertThatIllegalStateException()
                .isThrownBy(() -> catalog.declare(declaration("push", "Jobs.poll", true, ONE)))
                .withMessageContaining("Jobs.poll was given to");
    }

    @Test
    void whatWasSetInAnotherCatalogIsTakenOverWhereNothingIsSet() {
        TaskCatalog other = new TaskCatalog();
        other.set("one", ONE);
        other.set("two", ONE);
        catalog.set("two", TWO);
        catalog.setAllOf(other);
        assertThat(settingsOf("one")).isEqualTo(ONE);
        assertThat(settingsOf("two")).isEqualTo(TWO);
    }

    @Test
    void idsThatComeAndGoAreNotKeptForEver() {
        catalog.override("one", ONE);
        for (int i = 0; i < 10_000; i++) {
            assertThat(settingsOf("task-" + i)).isSameAs(TaskSettings.NONE);
        }
        assertThat(settingsOf("one")).isEqualTo(ONE);
        assertThat(catalog)
                .extracting("seen")
                .asInstanceOf(InstanceOfAssertFactories.COLLECTION)
                .hasSize(1_000);
        assertThat(catalog.unknownOverrides()).isEmpty();
    }

    @Test
    void anIdThatNoTaskHasIsUnknownAndTheNearestIsFound() {
        catalog.declare(declaration("poll", "import-orders", true, TaskSettings.NONE));
        catalog.declare(declaration("push", "export", true, TaskSettings.NONE));
        catalog.override("import-order", ONE);
        catalog.override("later", ONE);
        catalog.override("export", ONE);
        assertThat(catalog.unknownOverrides()).containsExactly("import-order", "later");
        assertThat(catalog.nearestTo("import-order")).isEqualTo("import-orders");
        assertThat(settingsOf("later")).isEqualTo(ONE);
        assertThat(catalog.unknownOverrides()).containsExactly("import-order");
    }

    @ParameterizedTest
    @CsvSource({"'', '', 0", "'', abc, 3", "kitten, sitting, 3", "abc, abc, 0", "abc, acb, 2"})
    void theDistanceIsHowManyCharactersDiffer(String one, String other, int distance) {
        assertThat(TaskCatalog.distance(one, other)).isEqualTo(distance);
        assertThat(TaskCatalog.distance(other, one)).isEqualTo(distance);
    }

    @Test
    void aNumberIsPartOfNoId() {
        catalog.override("com.example.Jobs.poll~2", ONE);
        assertThat(settingsOf("com.example.Jobs.poll")).isSameAs(TaskSettings.NONE);
        assertThat(catalog.unknownOverrides()).containsExactly("com.example.Jobs.poll~2");
    }
}
