package io.weir.state.policy;

import io.weir.core.policy.SecretHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy in force, kept in a file, so that a node can start while Redis is away. The first line of the file has the
 * revision, the digest of the text and its name; the text follows. Only the file's owner may read it. Safe for use by
 * many threads, if this object alone writes the file.
 */
record PolicyCopy(Optional<Path> file) {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyCopy.class);
  private static final Pattern CONTENT =
      Pattern.compile("# weir policy (\\d{1,16}) (\\S+) ([^\n]*)\n(.*)", Pattern.DOTALL);

  /** The kept policy; empty if there is none, or if the file is invalid, which is logged. */
  Optional<PolicyText> read() {
    if (file.isEmpty() || !Files.exists(file.get())) {
      return Optional.empty();
    }
    try {
      Matcher content = CONTENT.matcher(Files.readString(file.get(), StandardCharsets.UTF_8));
      if (content.matches()
          && SecretHash.of(content.group(4)).formatted().equals(content.group(2))) {
        return Optional.of(new PolicyText(
            Long.parseLong(content.group(1)),
            content.group(3),
            content.group(4),
            content.group(2),
            "",
            ""));
      }
      LOG.warn("{} holds no policy that was kept: it is not used", file.get());
    } catch (IOException e) {
      LOG.warn("the policy that was kept cannot be read: {}", e.toString());
    }
    return Optional.empty();
  }

  /** Keeps a policy; a failure is logged. */
  synchronized void write(PolicyText policy) {
    if (file.isEmpty()) {
      return;
    }
    Path to = file.get().toAbsolutePath();
    Path part = to.resolveSibling(to.getFileName() + ".part");
    String first = "# weir policy %d %s %s\n"
        .formatted(policy.revision(), policy.digest(), policy.name().replaceAll("\\R", " "));
    try {
      Files.deleteIfExists(part);
      if (Files.getFileStore(to.getParent()).supportsFileAttributeView("posix")) {
        Files.createFile(
            part,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      Files.writeString(part, first + policy.text(), StandardCharsets.UTF_8);
      Files.move(part, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.warn("the policy cannot be kept: {}", e.toString());
    }
  }
}
