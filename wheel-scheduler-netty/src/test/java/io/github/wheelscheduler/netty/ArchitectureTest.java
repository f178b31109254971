package io.github.wheelscheduler.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The timer stands on public types, of the executor and of Netty. */
@AnalyzeClasses(packages = ArchitectureTest.NETTY, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    static final String NETTY = "io.github.wheelscheduler.netty";

    @ArchTest
    static final ArchRule timerIsBuiltOnTheRootPackageAndNettysTimerAlone = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.github.wheelscheduler",
                    "io.github.wheelscheduler.internal",
                    NETTY,
                    "io.netty.util",
                    "java..",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule timerTakesTheTimeFromTheExecutor = noClasses()
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule staticFieldsNeverChange =
            fields().that().areStatic().should().beFinal();
}
