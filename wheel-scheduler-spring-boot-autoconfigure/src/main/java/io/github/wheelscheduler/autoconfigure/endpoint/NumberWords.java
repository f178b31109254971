package io.github.wheelscheduler.autoconfigure.endpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Numbers in order, in English words. A row is numbers of which each is one more than the one before. */
final class NumberWords {

    /** From so many numbers on, a row is said by its ends. */
    private static final int LEAST_ROW = 3;

    /** From so many numbers on, equal steps are said by their ends. */
    private static final int LEAST_STEPS = 5;

    private static final List<String> ORDINALS =
            List.of("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh");

    private NumberWords() {}

    /** Whether all steps between them are equal. */
    static boolean isEven(List<Integer> numbers) {
        int step = stepOf(numbers);
        return IntStream.range(1, numbers.size()).allMatch(i -> numbers.get(i) - numbers.get(i - 1) == step);
    }

    /** Returns the first step; 1 if there is none. */
    static int stepOf(List<Integer> numbers) {
        return numbers.size() < 2 ? 1 : numbers.get(1) - numbers.get(0);
    }

    /** Whether the steps are equal and longer than 1, and so many that it is shorter to say so. */
    static boolean isManySteps(List<Integer> numbers) {
        return numbers.size() >= LEAST_STEPS && isEven(numbers) && stepOf(numbers) > 1;
    }

    static boolean isRow(List<Integer> numbers) {
        return isEven(numbers) && stepOf(numbers) == 1;
    }

    static boolean isLongRow(List<Integer> numbers) {
        return numbers.size() >= LEAST_ROW && isRow(numbers);
    }

    /** Returns long rows together, and other numbers alone. */
    static List<List<Integer>> rows(List<Integer> numbers) {
        List<List<Integer>> rows = new ArrayList<>();
        int begin = 0;
        for (int i = 1; i <= numbers.size(); i++) {
            if (i == numbers.size() || numbers.get(i) != numbers.get(i - 1) + 1) {
                List<Integer> row = numbers.subList(begin, i);
                if (isLongRow(row)) {
                    rows.add(row);
                } else {
                    row.forEach(number -> rows.add(List.of(number)));
                }
                begin = i;
            }
        }
        return rows;
    }

    static int last(List<Integer> numbers) {
        return numbers.get(numbers.size() - 1);
    }

    /** Returns the numbers behind what they count: {@code minutes 5 and 20}. */
    static String numbered(String unit, List<Integer> numbers) {
        if (numbers.size() == 1) {
            return unit + " " + numbers.get(0);
        }
        if (isManySteps(numbers)) {
            return unit + "s " + numbers.get(0) + " to " + last(numbers) + " in steps of " + stepOf(numbers);
        }
        List<String> named = rows(numbers).stream()
                .map(row -> row.size() == 1 ? String.valueOf(row.get(0)) : row.get(0) + " to " + last(row))
                .toList();
        return unit + "s " + joined(named, "and");
    }

    /** Returns names of numbers from 1 on, each with that end. */
    static List<String> names(List<String> known, List<Integer> numbers, String end) {
        return numbers.stream().map(number -> known.get(number - 1) + end).toList();
    }

    /** Returns the names of the ends of a row of numbers from 1 on. */
    static String fromTo(List<String> known, List<Integer> row) {
        return "from " + known.get(row.get(0) - 1) + " to " + known.get(last(row) - 1);
    }

    /** Returns an ordinal, as a word up to {@code lastWord}, which is at most 7. */
    static String ordinal(int number, int lastWord) {
        if (number <= lastWord) {
            return ORDINALS.get(number);
        }
        boolean isTeen = number / 10 == 1;
        String end = switch (isTeen ? 0 : number % 10) {
            case 1 -> "st";
            case 2 -> "nd";
            case 3 -> "rd";
            default -> "th";
        };
        return number + end;
    }

    /** Returns all with commas in between, and a word before the last. */
    static String joined(List<String> named, String word) {
        int last = named.size() - 1;
        return last < 1
                ? String.join("", named)
                : String.join(", ", named.subList(0, last)) + " " + word + " " + named.get(last);
    }
}
