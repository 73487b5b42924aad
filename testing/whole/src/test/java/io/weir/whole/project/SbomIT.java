package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each artifact has a list of its contents that CycloneDX accepts; that of the archive: {@link DistributionIT}. */
@Tag("containers")
final class SbomIT {
  @ParameterizedTest
  @ValueSource(strings = {"client", "library", "adapters", "spring"})
  void anArtifactListsItsContents(String artifact) throws IOException {
    Sbom sbom = Sbom.of(BuildFolder.of("java/" + artifact).resolve("sbom.json"));
    assertThat(sbom.problems()).isEmpty();
    assertThat(sbom.incomplete()).isEmpty();
    assertThat(sbom.name()).startsWith("weir-").contains(artifact);
    assertThat(sbom.jars()).anyMatch(jar -> jar.startsWith("jackson-core-"));
  }

  @Test
  void aWrongListIsFound() throws IOException {
    Sbom sbom = Sbom.of(BuildFolder.of("java/client").resolve("sbom.json"));
    ObjectNode first = (ObjectNode) sbom.document().get("components").get(0);
    first.put("type", "thing").remove("licenses");
    assertThat(sbom.problems()).hasSize(1).first().asString().startsWith("$.components[0].type: ");
    assertThat(sbom.incomplete()).hasSize(1);
  }
}
