package io.weir.state.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.SecretHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PolicyCopyTest {
  private static final String TEXT = "buckets:\n  - { name: a }\n\nplans: {}\n";

  @TempDir
  private Path folder;

  @Test
  void aKeptPolicyIsRead() throws IOException {
    PolicyCopy copy = new PolicyCopy(Optional.of(folder.resolve("copy.yaml")));
    assertThat(copy.read()).isEmpty();
    PolicyText kept = text(7, "a name\nwith a line");
    copy.write(kept);
    copy.write(kept.withRevision(8));
    assertThat(copy.read()).contains(text(8, "a name with a line"));
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void onlyItsOwnerMayReadIt() throws IOException {
    Path file = folder.resolve("copy.yaml");
    new PolicyCopy(Optional.of(file)).write(text(1, "n"));
    assertThat(Files.getPosixFilePermissions(file))
        .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
  }

  @Test
  void aChangedTicketIsNotUsed() throws IOException {
    Path file = folder.resolve("copy.yaml");
    PolicyCopy copy = new PolicyCopy(Optional.of(file));
    copy.write(text(1, "n"));
    Files.writeString(file, Files.readString(file).replace("name: a", "name: b"));
    assertThat(copy.read()).isEmpty();
    Files.writeString(file, "something else");
    assertThat(copy.read()).isEmpty();
  }

  @Test
  void whereItCannotBeKeptNothingFails() {
    PolicyCopy copy = new PolicyCopy(Optional.of(folder.resolve("missing/copy.yaml")));
    copy.write(text(1, "n"));
    assertThat(copy.read()).isEmpty();
    new PolicyCopy(Optional.empty()).write(text(1, "n"));
  }

  private static PolicyText text(long revision, String name) {
    return new PolicyText(revision, name, TEXT, SecretHash.of(TEXT).formatted(), "", "");
  }
}
