package io.weir.whole.project;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files that people wrote: without those of builds, packages, running clusters and git. */
final class Sources {
  private static final Path ROOT = Path.of("../..");
  private static final Set<String> OTHERS = Set.of(".git", "target", "node_modules", "run");

  private Sources() {}

  static List<Path> all() throws IOException {
    List<Path> all = new ArrayList<>();
    Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
        boolean isOther = OTHERS.contains(folder.getFileName().toString());
        return isOther ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        all.add(file);
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFileFailed(Path file, IOException gone) {
        return FileVisitResult.CONTINUE; // another test has deleted it
      }
    });
    return all;
  }
}
