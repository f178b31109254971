package io.github.wheelscheduler.benchmarks.figure;

/** Called when the measured part begins and ends; a profiler, or none. */
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
