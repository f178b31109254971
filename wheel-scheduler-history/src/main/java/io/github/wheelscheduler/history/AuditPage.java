package io.github.wheelscheduler.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the audit, the newest entry first.
 *
 * @param next the cursor of the next page; null if there is none
 */
public record AuditPage(List<AuditEntry> entries, @Nullable String next) {}
