package io.weir.whole.project;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The shape of a Lua file, counted by its keywords.
 *
 * @param longestFunction in lines, from its head to its end
 * @param deepestNesting of blocks inside a function
 */
record LuaShape(int longestFunction, int deepestNesting) {
  private static final Pattern WORD = Pattern.compile(
      "--[^\\n]*|'[^'\\n]*'|\\n|\\b(?:function|if|for|while|do|repeat|until|end)\\b");

  static LuaShape of(String source) {
    Deque<Integer> begins = new ArrayDeque<>(); // the line of a function, 0 for another block
    boolean isLoopHead = false;
    int line = 1;
    int longest = 0;
    int deepest = 0;
    Matcher word = WORD.matcher(source);
    while (word.find()) {
      switch (word.group()) {
        case "\n" -> line++;
        case "function" -> begins.push(line);
        case "if", "repeat" -> begins.push(0);
        case "for", "while" -> {
          begins.push(0);
          isLoopHead = true;
        }
        case "do" -> {
          if (!isLoopHead) {
            begins.push(0);
          }
          isLoopHead = false;
        }
        case "end", "until" -> {
          int begin = begins.pop();
          longest = Math.max(longest, begin == 0 ? 0 : line - begin + 1);
        }
        default -> {}
      }
      deepest = Math.max(deepest, begins.size() - 1); // without the outermost function
    }
    if (!begins.isEmpty()) {
      throw new IllegalStateException("a block has no end");
    }
    return new LuaShape(longest, deepest);
  }
}
