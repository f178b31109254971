package io.github.wheelscheduler.benchmarks.figure;

/** Is told when the part that counts begins and ends; a profiler, or nobody. */
public interface Watch {

    Watch NOBODY = new Watch() {
        @Override
        public void begin() {}

        @Override
        public void end(long operations) {}
    };

    void begin();

    /** The part that counts has ended after so many operations. */
    void end(long operations);
}
