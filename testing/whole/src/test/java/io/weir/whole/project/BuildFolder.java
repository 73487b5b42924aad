package io.weir.whole.project;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** The folder that this build writes: {@code target}, or that of a build without checks. */
final class BuildFolder {
  private BuildFolder() {}

  /** The folder of a module. */
  static Path of(String module) {
    try {
      Path classes = Path.of(
          BuildFolder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path here = Path.of("").toAbsolutePath();
      return Path.of("../..", module).resolve(here.relativize(classes.getParent()));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
