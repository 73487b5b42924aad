package io.weir.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands of processes that end with the process that starts them, however that ends: a shutdown hook does not run
 * after SIGKILL, or if the JVM is halted.
 */
public final class ChildCommand {
  private static final Path SHELL = Path.of("/bin/sh");

  // The shell becomes the program, so its id stays $$. The guard reads the pipe whose other end
  // only the parent has: nothing is ever written there, and the system closes it when the parent
  // ends. Process.destroy closes it, too, while the parent lives: the program may then end in its
  // own time. Signals of a terminal go to the guard, too, and must not end it before the program.
  // The first argument is a directory of the program, which nobody else removes then, or empty.
  private static final String GUARDED = """
      directory=$1
      shift
      exec 3<&0
      (
        trap '' HUP INT TERM
        read -r _ <&3
        while kill -0 $PPID && kill -0 $$; do sleep 1; done
        kill -0 $PPID && exit
        kill -9 $$
        [ -z "$directory" ] || rm -rf -- "$directory"
      ) >/dev/null 2>&1 &
      exec "$@" </dev/null 3<&-
      """;

  private ChildCommand() {}

  /**
   * Returns the command of a process that is killed when this process ends. The process must be started with a pipe as
   * its standard input, which is what {@link ProcessBuilder} does if not told otherwise; the program itself reads none.
   * The id of the process is that of the program. Where {@code /bin/sh} is missing, the command itself is returned, and
   * the process has to be ended by a shutdown hook.
   *
   * @param command the program and its arguments
   */
  public static List<String> endingWithParent(List<String> command) {
    return guarded("", command);
  }

  /** The same of a process whose directory is removed, too, if this process ends before it. */
  public static List<String> endingWithParent(Path directory, List<String> command) {
    return guarded(directory.toString(), command);
  }

  private static List<String> guarded(String directory, List<String> command) {
    if (!Files.isExecutable(SHELL)) {
      return command;
    }
    List<String> guarded =
        new ArrayList<>(List.of(SHELL.toString(), "-c", GUARDED, "sh", directory));
    guarded.addAll(command);
    return List.copyOf(guarded);
  }
}
