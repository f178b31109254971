package io.github.wheelscheduler.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains an {@link UnusableSetupException}. */
@Order(Ordered.HIGHEST_PRECEDENCE) // before Boot's, which explain its causes
final class UnusableSetupFailureAnalyzer extends AbstractFailureAnalyzer<UnusableSetupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnusableSetupException cause) {
        return new FailureAnalysis(cause.getMessage() + ".", cause.action(), cause);
    }
}
