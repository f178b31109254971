package io.github.wheelscheduler.durable;

/** Says that durable tasks cannot be kept in a database of that product. */
@SuppressWarnings("serial")
public final class UnsupportedDatabaseException extends IllegalStateException {

    private final String product;

    UnsupportedDatabaseException(String product, IllegalStateException cause) {
        super(cause.getMessage(), cause);
        this.product = product;
    }

    /** Returns what the database calls itself. */
    public String product() {
        return product;
    }
}
